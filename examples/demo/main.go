// Command demo takes a STEP bracket to a stress picture and a filter to its
// corner frequency, every step over HTTP against a real server that it starts,
// and prints what came out.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

func main() {
	binary := flag.String("atelier", "bin/atelier", "the server's program")
	out := flag.String("out", "demo-out", "folder for the pictures")
	part := flag.String("part", "examples/bracket/bracket.step", "the STEP file")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *binary, *part, *out); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, binary, part, out string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	data, err := os.MkdirTemp("", "atelier-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data)
	url, end, err := serve(ctx, binary, data)
	if err != nil {
		return err
	}
	defer end()
	c := &client{ctx: ctx, url: url, out: out}
	started := time.Now()
	err = errorsFirst(c.bracket(part), c.filter)
	took := time.Since(started)
	if err != nil {
		c.print(took)
		return err
	}
	passed, failed, skipped := len(c.rows), 0, 0
	switch fault := c.workbench(); {
	case errors.Is(fault, errNoBrowser):
		skipped++
		fmt.Println(" ", fault)
	case fault != nil:
		failed++ // the figures and the other pictures are there
		fmt.Println(" ", fault)
	default:
		passed++
	}
	c.print(took)
	fmt.Printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	return nil
}

func errorsFirst(err error, next func() error) error {
	if err != nil {
		return err
	}
	return next()
}

// serve starts the server on a free port and waits until it says where it is.
func serve(ctx context.Context, binary, data string) (url string, end func(), err error) {
	cmd := exec.CommandContext(ctx, binary, "serve", "--addr", "127.0.0.1:0", "--data", data, "--log-level", "warn")
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, fmt.Errorf("start %s: %w", binary, err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	_, url, found := strings.Cut(strings.TrimSpace(line), " at ")
	if err != nil || !found {
		_ = cmd.Wait()
		return "", nil, fmt.Errorf("%s did not say where it serves: %q", binary, line)
	}
	fmt.Println(strings.TrimSpace(line))
	return url, func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}, nil
}

type row struct{ step, engine, figures, took string }

// client calls tools over HTTP and keeps a row of the table for each.
type client struct {
	ctx      context.Context
	url, out string
	session  string // whose steps the calls are, so that the workbench shows them
	rows     []row
	pictures []string
}

type toolResult struct {
	Status    string `json:"status"`
	Solver    string `json:"solver"`
	Summary   string `json:"summary"`
	Stderr    string `json:"stderr"`
	Artifacts []struct {
		Name string `json:"name"`
		Path string `json:"path"`
	} `json:"artifacts"`
	Output  map[string]any `json:"output"`
	Metrics struct {
		ElapsedMS float64 `json:"elapsed_ms"`
	} `json:"metrics"`
}

// begin makes a session of the file; its reference is what file arguments take.
func (c *client) begin(path string) (reference string, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", filepath.Base(path))
	if err != nil {
		return "", err
	}
	if _, err := part.Write(content); err != nil {
		return "", err
	}
	if err := form.Close(); err != nil {
		return "", err
	}
	var made struct {
		ID string `json:"session_id"`
	}
	err = c.request("POST", "/v1/sessions", form.FormDataContentType(), &body, &made)
	c.session = made.ID
	return "session:input/" + filepath.Base(path), err
}

func (c *client) request(method, path, contentType string, body io.Reader, into any) error {
	req, err := http.NewRequestWithContext(c.ctx, method, c.url+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", contentType)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil || resp.StatusCode >= 500 {
		return fmt.Errorf("%s %s: status %d: %.300s", method, path, resp.StatusCode, raw)
	}
	return nil
}

// call runs a tool and puts its summary into the table.
func (c *client) call(tool string, input map[string]any) (*toolResult, error) {
	body, err := json.Marshal(map[string]any{"tool": tool, "input": input, "context": map[string]any{"session_id": c.session}})
	if err != nil {
		return nil, err
	}
	fmt.Printf("  %s …\n", tool)
	result := &toolResult{}
	if err := c.request("POST", "/v1/tools/execute", "application/json", bytes.NewReader(body), result); err != nil {
		return nil, err
	}
	c.rows = append(c.rows, row{tool, result.Solver, result.Summary, fmt.Sprintf("%.2f s", result.Metrics.ElapsedMS/1000)})
	if result.Status != "ok" {
		return nil, fmt.Errorf("%s: %s", tool, result.Stderr)
	}
	return result, nil
}

func text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

// bracket: a steel bracket bolted down at its base, pulled by 1 kN at the hole
// of its upright.
func (c *client) bracket(part string) error {
	file, err := c.begin(part)
	if err != nil {
		return err
	}
	cad, err := c.call("cad_import_truck", map[string]any{"file_path": file})
	if err != nil {
		return err
	}
	volume, err := c.volume(file, text(cad.Output, "artifact_url"))
	if err != nil {
		return err
	}
	solved, err := c.call("fea.solve", map[string]any{
		"solver_class": "LinearElasticity",
		"mesh":         map[string]any{"type": "file", "path": text(volume.Output, "artifact_url")},
		"config": map[string]any{
			"materials": []any{map[string]any{"attribute": 1, "E": 210e9, "nu": 0.3}},
			"bcs": []any{
				map[string]any{"face": "base_bottom", "type": "fixed"},
				map[string]any{"face": "load_hole", "type": "load", "force": []float64{1000, 0, 0}},
			},
		},
	})
	if err != nil {
		return err
	}
	field := ""
	for _, a := range solved.Artifacts {
		if strings.HasSuffix(a.Name, ".pvd") {
			field = a.Path
		}
	}
	if err := c.render("part", map[string]any{"input_path": text(cad.Output, "artifact_url"), "fit": "tight", "up_axis": "z"}); err != nil {
		return err
	}
	return c.render("stress", map[string]any{
		"input_path": field, "field": "von_mises", "unit": "Pa", "length_unit": "m", "fit": "tight", "up_axis": "z",
		"warp": map[string]any{"field": "displacement", "scale": "auto"},
	})
}

// volume meshes the part on its exact faces, or where that fails its triangulation.
func (c *client) volume(file, surface string) (*toolResult, error) {
	made, err := c.call("volume_mesh_cad", map[string]any{"file_path": file})
	if err == nil {
		return made, nil
	}
	fmt.Println("  the triangulation is repaired and filled instead:", err)
	repaired, err := c.call("mesh_repair_pmp", map[string]any{"input_path": surface})
	if err != nil {
		return nil, err
	}
	return c.call("volume_mesh_quartet", map[string]any{"input_path": text(repaired.Output, "artifact_url")})
}

// render draws a colour picture and saves it under a name.
func (c *client) render(name string, input map[string]any) error {
	input["output_depth"], input["output_normal"] = false, false
	drawn, err := c.call("render_pack_vtk", input)
	if err != nil {
		return err
	}
	for _, a := range drawn.Artifacts {
		if strings.HasSuffix(a.Name, "_color.png") {
			path := filepath.Join(c.out, name+".png")
			c.pictures = append(c.pictures, path)
			return c.save(a.Path, path)
		}
	}
	return fmt.Errorf("render_pack_vtk made no colour picture")
}

func (c *client) save(url, path string) error {
	req, err := http.NewRequestWithContext(c.ctx, "GET", c.url+url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: status %d", url, resp.StatusCode)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, resp.Body); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// filter: an RC low-pass of 1 kΩ and 1 µF, whose corner is at 1/(2πRC) = 159.2 Hz.
func (c *client) filter() error {
	_, err := c.call("circuits.simulate", map[string]any{
		"netlist":  "RC low-pass\nV1 in 0 DC 0 AC 1\nR1 in out 1k\nC1 out 0 1u\n.end",
		"analysis": "ac", "probes": []string{"v(out)"},
		"options": map[string]any{"ac": map[string]any{"fstart": 1, "fstop": 1e5, "points": 20}},
	})
	return err
}

func (c *client) print(total time.Duration) {
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "\nSTEP\tENGINE\tTIME\tRESULT")
	for _, r := range c.rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.step, r.engine, r.took, r.figures)
	}
	_ = w.Flush() // to standard output
	fmt.Printf("\n%d steps in %.1f s\n", len(c.rows), total.Seconds())
	for _, p := range c.pictures {
		fmt.Println("picture:", p)
	}
}
