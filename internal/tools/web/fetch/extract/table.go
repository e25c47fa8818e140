package extract

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Bounds of the HTML standard, and of what is laid out.
const (
	maxColspan = 1000
	maxRowspan = 65534
	maxColumns = 1000 // that hold text
	maxWide    = 20_000
	maxSlots   = 60_000  // of all tables of a page
	maxCopied  = 1 << 20 // bytes that spans repeat
)

// levels stands between the headings of several rows that are over one column.
const levels = " › "

// tables lays every table of data out on its grid, as the HTML standard forms it
// ("forming a table"): each cell stands in every column and row that it spans, an
// empty one keeps its place, and the rows of a table's head are one. Every cell is
// marked with its column, since extractors leave cells out. It says whether the
// tables stay within bounds.
func tables(tree *html.Node) bool {
	room := &tableRoom{slots: maxSlots, bytes: maxCopied}
	each(tree, func(n *html.Node) {
		if n.DataAtom == atom.Table && room.left() {
			(&grid{table: n, room: room}).lay()
		}
	})
	return room.left()
}

// tableRoom is what is left for the tables of a page.
type tableRoom struct{ slots, bytes int }

func (r *tableRoom) left() bool { return r.slots >= 0 && r.bytes >= 0 }

// layouts makes blocks of tables that arrange a page and hold no data: those that
// say so, and those that hold tables without a heading or caption of their own. A
// table within one of data becomes text.
func layouts(tree *html.Node) {
	outer := map[*html.Node]bool{}
	each(tree, func(n *html.Node) {
		if n.DataAtom == atom.Table {
			outer[n] = has(n, atom.Table)
		}
	})
	each(tree, func(n *html.Node) {
		if n.DataAtom != atom.Table {
			return
		}
		role := attribute(n, "role")
		if role == "presentation" || role == "none" || outer[n] && !nestsData(n) {
			unwrap(n)
			return
		}
		each(n, func(inner *html.Node) {
			if inner.DataAtom == atom.Table {
				inTurn(inner)
			}
		})
	})
}

// nestsData says whether a table with tables in it is one of data.
func nestsData(n *html.Node) bool {
	for d := range n.Descendants() {
		if d.DataAtom == atom.Table && len(contents(d)) > 500 {
			return false
		}
	}
	for _, r := range rowsOf(n) {
		if r.group.DataAtom == atom.Thead || slices.ContainsFunc(r.cells, func(c *html.Node) bool { return c.DataAtom == atom.Th }) {
			return true
		}
	}
	return n.FirstChild != nil && n.FirstChild.DataAtom == atom.Caption
}

// unwrap makes blocks of the cells of a table.
func unwrap(table *html.Node) {
	for _, r := range rowsOf(table) {
		for _, c := range r.cells {
			c.DataAtom, c.Data = atom.Div, "div"
		}
		splice(r.node)
	}
	for c := table.FirstChild; c != nil; {
		next := c.NextSibling
		switch c.DataAtom {
		case atom.Caption:
			c.DataAtom, c.Data = atom.Div, "div"
		case atom.Tbody, atom.Thead, atom.Tfoot:
			splice(c)
		case atom.Colgroup, atom.Col:
			table.RemoveChild(c)
		}
		c = next
	}
	table.DataAtom, table.Data = atom.Div, "div"
}

// inTurn writes a table in a cell as text: "a, 1; b, 2".
func inTurn(table *html.Node) {
	for _, r := range rowsOf(table) {
		for i, c := range r.cells {
			if i > 0 {
				c.InsertBefore(textNode(", "), c.FirstChild)
			}
			splice(c)
		}
		r.node.InsertBefore(textNode(string(itemBreak)), r.node.FirstChild)
		splice(r.node)
	}
	each(table, func(d *html.Node) {
		if d.DataAtom == atom.Tbody || d.DataAtom == atom.Thead || d.DataAtom == atom.Tfoot || d.DataAtom == atom.Caption {
			splice(d)
		}
	})
	table.AppendChild(textNode(string(itemBreak)))
	splice(table)
}

// row is a row of a table in the source.
type row struct {
	node, group *html.Node
	cells       []*html.Node
}

// rowsOf are a table's own rows in the order in which they are shown: the first
// head before all others, feet after them.
func rowsOf(table *html.Node) []row {
	var head, body, foot []row
	for g := table.FirstChild; g != nil; g = g.NextSibling {
		var rows []row
		switch g.DataAtom {
		case atom.Tr:
			rows = append(rows, row{node: g, group: table})
		case atom.Thead, atom.Tbody, atom.Tfoot:
			for r := g.FirstChild; r != nil; r = r.NextSibling {
				if r.DataAtom == atom.Tr {
					rows = append(rows, row{node: r, group: g})
				}
			}
		}
		for i := range rows {
			for c := rows[i].node.FirstChild; c != nil; c = c.NextSibling {
				if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
					rows[i].cells = append(rows[i].cells, c)
				}
			}
		}
		switch {
		case g.DataAtom == atom.Thead && head == nil:
			head = rows
		case g.DataAtom == atom.Tfoot:
			foot = append(foot, rows...)
		default:
			body = append(body, rows...)
		}
	}
	return slices.Concat(head, body, foot)
}

// slot is a cell and its place on the grid.
type slot struct {
	node          *html.Node
	x, y, w, h    int
	heading, used bool // used: it has text
}

// grid is a table being laid out.
type grid struct {
	table   *html.Node
	room    *tableRoom
	rows    []row
	slots   []*slot
	columns []int // those that stay, in order: no cell of the others begins there with text
	at      [][]*slot
}

func (g *grid) lay() {
	g.rows = rowsOf(g.table)
	if !g.form() || !g.fill() {
		return
	}
	caption := g.caption()
	if len(g.columns) < 2 {
		each(g.table, func(d *html.Node) {
			if d.DataAtom == atom.Caption {
				d.Parent.RemoveChild(d)
			}
		})
		unwrap(g.table)
		g.before(caption)
		return
	}
	title, lines := g.lines()
	for c := g.table.FirstChild; c != nil; c = g.table.FirstChild {
		g.table.RemoveChild(c)
	}
	body := &html.Node{Type: html.ElementNode, DataAtom: atom.Tbody, Data: "tbody"}
	g.table.AppendChild(body)
	for _, l := range lines {
		body.AppendChild(l)
	}
	g.before(caption)
	g.before(title)
}

// before puts a paragraph in front of the table.
func (g *grid) before(text string) {
	if text != "" && g.table.Parent != nil {
		p := &html.Node{Type: html.ElementNode, DataAtom: atom.P, Data: "p"}
		p.AppendChild(textNode(text))
		g.table.Parent.InsertBefore(p, g.table)
	}
}

func (g *grid) caption() string {
	for c := g.table.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Caption {
			return cellLine(contents(c))
		}
	}
	return ""
}

// form finds the place of each cell.
func (g *grid) form() bool {
	until := make([]int, 0, 16) // of each column: the first row that no cell above reaches
	end := 0
	for y, r := range g.rows {
		if y == 0 || r.group != g.rows[y-1].group {
			for end = y; end < len(g.rows) && g.rows[end].group == r.group; end++ {
			}
		}
		x := 0
		for _, c := range r.cells {
			for x < len(until) && until[x] > y {
				x++
			}
			w, h := span(c, "colspan", maxColspan), span(c, "rowspan", maxRowspan)
			if h == 0 || y+h > end {
				h = end - y
			}
			if w = max(w, 1); x+w > maxWide {
				g.room.slots = -1
				return false
			}
			for len(until) < x+w {
				until = append(until, 0)
			}
			for k := x; k < x+w; k++ {
				until[k] = max(until[k], y+h)
			}
			g.slots = append(g.slots, &slot{node: c, x: x, y: y, w: w, h: h, used: firstText(c) != nil,
				heading: c.DataAtom == atom.Th && !strings.HasPrefix(strings.ToLower(attribute(c, "scope")), "row")})
			x += w
		}
	}
	return true
}

// span is the value of colspan or rowspan by HTML's rules for integers.
func span(n *html.Node, key string, most int) int {
	s := strings.TrimLeft(attribute(n, key), " \t\n\f\r")
	s = strings.TrimPrefix(s, "+")
	end := 0
	for end < len(s) && digit(s[end]) {
		end++
	}
	v, err := strconv.Atoi(s[:min(end, 9)])
	if err != nil {
		return 1
	}
	return min(v, most)
}

// fill enters the cells into the columns in which one begins with text.
func (g *grid) fill() bool {
	begins := make([]bool, maxWide)
	for _, s := range g.slots {
		begins[s.x] = begins[s.x] || s.used
	}
	place := make([]int, maxWide+1) // how many columns that stay lie before
	for x, b := range begins {
		if place[x+1] = place[x]; b {
			g.columns = append(g.columns, x)
			place[x+1]++
		}
	}
	if g.room.slots -= len(g.columns) * len(g.rows); !g.room.left() || len(g.columns) > maxColumns {
		g.room.slots = min(g.room.slots, -1)
		return false
	}
	g.at = make([][]*slot, len(g.rows))
	for y := range g.at {
		g.at[y] = make([]*slot, len(g.columns))
	}
	for _, s := range g.slots {
		s.w, s.x = place[s.x+s.w]-place[s.x], place[s.x]
		for y := s.y; y < s.y+s.h; y++ {
			for x := s.x; x < s.x+s.w; x++ {
				if g.at[y][x] == nil || !g.at[y][x].used {
					g.at[y][x] = s
				}
			}
		}
	}
	return true
}

// begins are the cells with text that begin in a row.
func (g *grid) begins(y int) (list []*slot) {
	for x, s := range g.at[y] {
		if s != nil && s.used && s.y == y && (x == 0 || g.at[y][x-1] != s) {
			list = append(list, s)
		}
	}
	return list
}

// heads says whether a row holds headings of columns: it is in the table's head,
// or all of its cells but the first are th.
func (g *grid) heads(y int) bool {
	if g.rows[y].group.DataAtom == atom.Thead {
		return true
	}
	some := false
	for _, s := range g.begins(y) {
		if s.x > 0 || s.w > 1 {
			if !s.heading || s.w == len(g.columns) {
				return false
			}
			some = true
		}
	}
	return some
}

// lines are the rows as they are written, and the title that stands over all
// columns in the first.
func (g *grid) lines() (title string, lines []*html.Node) {
	first, body := 0, 0
	for first < len(g.rows) && len(g.begins(first)) == 0 {
		first++
	}
	if first < len(g.rows)-1 {
		if b := g.begins(first); len(b) == 1 && b[0].w == len(g.columns) && b[0].h == 1 {
			title = cellLine(contents(b[0].node))
			first++
		}
	}
	for y := first; y < len(g.rows); y++ {
		if !g.heads(y) {
			body++
		}
	}
	last := "" // of the heads
	for y := first; y < len(g.rows); {
		if len(g.begins(y)) == 0 {
			y++
			continue
		}
		if !g.heads(y) || body == 0 && y > first {
			lines = append(lines, g.bodyLine(y))
			y++
			continue
		}
		end := y + 1
		for body > 0 && end < len(g.rows) && g.heads(end) {
			end++
		}
		line := g.headLine(y, end)
		if text := contents(line); text != last { // a head again is the same
			lines, last = append(lines, line), text
		}
		y = end
	}
	return title, lines
}

// headLine joins the headings of some rows.
func (g *grid) headLine(from, to int) *html.Node {
	line := newRow()
	for x := range g.columns {
		var parts []string
		for y := from; y < to; y++ {
			if s := g.at[y][x]; s != nil && s.used {
				if text := cellLine(contents(s.node)); len(parts) == 0 || parts[len(parts)-1] != text {
					parts = append(parts, text)
				}
			}
		}
		text := strings.Join(parts, levels)
		g.room.bytes -= len(text)
		c := newCell(true)
		c.AppendChild(textNode(columnMark(x, true) + text + string(textEnd)))
		line.AppendChild(c)
		if !g.room.left() {
			break
		}
	}
	return line
}

// bodyLine is a row; what stands over all columns stands there once.
func (g *grid) bodyLine(y int) *html.Node {
	line := newRow()
	for x := range g.columns {
		c := newCell(false)
		c.AppendChild(textNode(columnMark(x, false)))
		if s := g.at[y][x]; s != nil && s.used && (s.w < len(g.columns) || x == 0) {
			if x > s.x || y > s.y {
				g.room.bytes -= 64 + len(contents(s.node))
			}
			if !g.room.left() {
				break
			}
			for child := s.node.FirstChild; child != nil; child = child.NextSibling {
				c.AppendChild(copied(child))
			}
			for d := range c.Descendants() {
				if d.Type == html.TextNode {
					d.Data += string(textEnd)
				}
			}
		}
		line.AppendChild(c)
	}
	return line
}

func newRow() *html.Node { return &html.Node{Type: html.ElementNode, DataAtom: atom.Tr, Data: "tr"} }

func newCell(heading bool) *html.Node {
	if heading {
		return &html.Node{Type: html.ElementNode, DataAtom: atom.Th, Data: "th"}
	}
	return &html.Node{Type: html.ElementNode, DataAtom: atom.Td, Data: "td"}
}
