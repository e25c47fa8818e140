package captions

import (
	"strings"
	"unicode"
)

// knownNames are names and abbreviations that a text in capitals hides: months,
// days, countries, languages, cities, first names, authorities. A name that is
// also a common word (May, Will, Mark, Rose) is not among them.
var knownNames = func() map[string]string {
	m := map[string]string{}
	for _, name := range strings.Fields(`January February April June July August September October November December
		Monday Tuesday Wednesday Thursday Friday Saturday Sunday Christmas Easter Ramadan Hanukkah Thanksgiving Halloween
		America American Americans Britain British England English Scotland Scottish Wales Welsh Ireland Irish France French Germany German Germans Spain Spanish
		Italy Italian Portugal Portuguese Netherlands Dutch Belgium Belgian Switzerland Swiss Austria Austrian Poland Polish Ukraine Ukrainian Russia Russian
		China Chinese Japan Japanese Korea Korean India Indian Pakistan Iran Iraq Israel Israeli Egypt Egyptian Africa African Europe European Asia Asian
		Australia Australian Canada Canadian Mexico Mexican Brazil Brazilian Argentina Chile Peru Colombia Cuba Greece Greek Sweden Swedish Norway Norwegian
		Denmark Danish Finland Finnish Hungary Romania Bulgaria Serbia Croatia Bosnia Turkish Arabic Latin Hebrew Kenya Nigeria Ethiopia Morocco Algeria
		Alabama Alaska Arizona Arkansas California Colorado Connecticut Delaware Florida Georgia Hawaii Idaho Illinois Indiana Iowa Kansas Kentucky Louisiana
		Maine Maryland Massachusetts Michigan Minnesota Mississippi Missouri Montana Nebraska Nevada Ohio Oklahoma Oregon Pennsylvania Tennessee Texas Utah Vermont
		Virginia Wisconsin Wyoming London Paris Berlin Madrid Rome Vienna Brussels Amsterdam Lisbon Dublin Edinburgh Glasgow Manchester Liverpool Birmingham
		Munich Hamburg Frankfurt Cologne Stuttgart Zurich Geneva Milan Venice Naples Barcelona Lyon Marseille Moscow Kyiv Warsaw Prague Budapest Athens Istanbul
		Cairo Jerusalem Tehran Baghdad Kabul Delhi Mumbai Beijing Shanghai Tokyo Seoul Bangkok Singapore Sydney Melbourne Toronto Montreal Vancouver Chicago Boston
		Houston Dallas Austin Denver Seattle Portland Detroit Philadelphia Atlanta Miami Orlando Tampa Baltimore Pittsburgh Cleveland Cincinnati Columbus
		Minneapolis Milwaukee Memphis Nashville Charlotte Raleigh Wilmington Richmond Sacramento Oakland Washington Manhattan Brooklyn Hollywood Stanford Harvard Oxford Cambridge
		Google Microsoft Apple Amazon Facebook Twitter YouTube Netflix Intel Nvidia Boeing Airbus Toyota Volkswagen Siemens Tesla Wikipedia
		James John Robert Michael William David Richard Joseph Thomas Charles Christopher Daniel Matthew Anthony Donald Steven Paul Andrew Joshua Kenneth Kevin
		Brian George Timothy Ronald Edward Jason Jeffrey Ryan Jacob Gary Nicholas Eric Jonathan Stephen Larry Justin Scott Brandon Benjamin Samuel Gregory Alexander
		Patrick Jack Dennis Jerry Tyler Aaron Jose Adam Nathan Henry Peter Zachary Douglas Harold Carl Arthur Gerald Roger Keith Lawrence Terry Albert Walter Vincent
		Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen Lisa Nancy Betty Sandra Margaret Ashley Kimberly Emily Donna Michelle Carol Amanda
		Melissa Deborah Stephanie Rebecca Sharon Laura Cynthia Kathleen Amy Angela Shirley Anna Brenda Pamela Emma Nicole Helen Samantha Katherine Christine Debra
		Rachel Carolyn Janet Catherine Maria Heather Diane Ruth Julie Olivia Joyce Victoria Kelly Lauren Christina Joan Evelyn Judith Megan Andrea Cheryl Hannah
		Jacqueline Martha Gloria Teresa Ann Anne Sara Madison Frances Kathryn Janice Jean Alice Abigail Julia Judy Sophia Denise Amber Marilyn Danielle Beverly
		Elena Claire Marie Pierre Jacques Hans Klaus Jürgen Jonas Felix Lukas Heike Ursula Sabine Monika Juan Carlos Luis Miguel Pedro Pablo Javier Carmen Lucia Sofia
		Mohammed Ahmed Ali Omar Fatima Aisha Yusuf Ibrahim Priya Raj Ravi Wei Ming Yuki Hiroshi Kenji Olga Ivan Dmitri Natasha Boris Trump Biden Obama Clinton Lincoln
		Einstein Newton Darwin Shakespeare Jesus Christ God Bible Koran Jupiter Saturn Venus Neptune Internet
		Januar Februar Mai Juni Juli Oktober Dezember Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag Deutschland Österreich Schweiz Europa Frankreich`) {
		m[strings.ToLower(name)] = name
	}
	for _, name := range strings.Fields(`USA UK EU UN US TV AI UFO NASA NATO NOAA FEMA FBI CIA NSA IRS FDA EPA CEO CFO DNA RNA COVID AIDS HIV UNESCO UNICEF WHO OPEC IMF API CPU GPU USB PC
		NBA NFL NHL MLB FIFA UEFA IBM BMW BBC CNN ABC NBC CBS NPR PBS MSNBC ESPN NYPD LAPD EMT ICU MRI PhD UCLA MIT HTML PDF GPS LED NYC UAE ACLU AARP OSHA SCOTUS POTUS ISIS OSCE YMCA NAACP LGBTQ UCLA USC SWAT BASIC ASAP RSVP VIP ATM PIN`) {
		m[strings.ToLower(name)] = name
	}
	for _, word := range []string{"us", "who", "pin", "basic", "aids", "it", "apple", "amazon", "god", "georgia's"} {
		delete(m, word) // common words in capitals too
	}
	m["dr"], m["mr"], m["mrs"], m["ms"], m["prof"], m["jr"], m["sr"] = "Dr", "Mr", "Mrs", "Ms", "Prof", "Jr", "Sr"
	return m
}()

// nameOf finds the spelling of a name in small letters, with 's after it too,
// and of the parts of a double one.
func (s *state) nameOf(small string) (string, bool) {
	if name, ok := s.learned[small]; ok {
		return name, true
	}
	if name, ok := knownNames[small]; ok {
		return name, true
	}
	for _, suffix := range []string{"'s", "’s"} {
		if base, ok := strings.CutSuffix(small, suffix); ok {
			if name, known := s.nameOf(base); known {
				return name + suffix, true
			}
		}
	}
	for _, prefix := range []string{"o'", "o’", "mc"} { // O'Brien, McDonald
		if rest, ok := strings.CutPrefix(small, prefix); ok && len(rest) > 3 && rest != "clock" {
			return capitalised(prefix) + capitalised(rest), true
		}
	}
	if a, b, ok := strings.Cut(small, "-"); ok {
		first, one := s.nameOf(a)
		second, two := s.nameOf(b)
		if one && two {
			return first + "-" + second, true
		}
	}
	return "", false
}

// titles stand before a name.
var titles = set(`dr mr mrs ms prof president senator governor mayor captain general professor doctor sir judge congressman congresswoman secretary minister chancellor herr frau señor señora madame monsieur don doña`)

// learnNames gathers names that the transcript itself tells: of its speakers,
// after titles, and what follows a first name.
func (s *state) learnNames(turns []turn) {
	for _, t := range turns {
		for _, w := range strings.Fields(t.speaker) {
			if !shout(w) && len(w) > 2 {
				s.learned[strings.ToLower(w)] = w
			}
		}
		for i := 0; i+1 < len(t.words); i++ {
			w, next := &t.words[i], &t.words[i+1]
			title := titles[w.key] && (w.trail == "" || w.trail == ".")
			if (title || people[w.key] && w.trail == "") && surname(next) {
				s.learn(next)
				if title && next.trail == "" && i+2 < len(t.words) && surname(&t.words[i+2]) {
					s.learn(&t.words[i+2])
				}
			}
		}
	}
}

func (s *state) learn(w *word) {
	if _, known := s.nameOf(w.key); !known {
		s.learned[strings.TrimSuffix(w.key, "'s")] = capitalised(strings.TrimSuffix(w.key, "'s"))
	}
}

// people are first names, which a family name may follow.
var people = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(`James John Robert Michael William David Richard Joseph Thomas Charles Christopher Daniel Matthew Anthony Donald Steven Paul Andrew Joshua Kenneth
		Kevin Brian George Timothy Ronald Edward Jason Jeffrey Ryan Jacob Nicholas Eric Jonathan Stephen Benjamin Samuel Gregory Alexander Patrick Jack Peter Henry Mary Patricia
		Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen Lisa Nancy Sandra Margaret Emily Michelle Amanda Melissa Rebecca Laura Anna Emma Helen Samantha Rachel Maria
		Julie Olivia Christina Hannah Claire Elena Juan Carlos Luis Miguel Pedro Mohammed Ahmed`) {
		m[strings.ToLower(name)] = true
	}
	return m
}()

// surname says whether a word after a first name may be one: no function word,
// no form of a verb.
func surname(w *word) bool {
	if !w.letters() || len(w.key) < 3 || !unicode.IsUpper([]rune(w.core)[0]) || functionWords["en"][w.key] || conjunctions[w.key] {
		return false
	}
	for _, ending := range []string{"ing", "ed", "says", "ly", "'s"} {
		if strings.HasSuffix(w.key, ending) {
			return false
		}
	}
	return !set("said told went came got made took now then here also says does very still not never always")[w.key]
}

var placeKinds = set(`street avenue road lane boulevard drive square county university college hospital airport island lake river bay`)

// phrasesOfNames mends names of several words.
func (s *state) phrasesOfNames(t *turn) {
	for i := 0; i+1 < len(t.words); i++ {
		a, b := &t.words[i], &t.words[i+1]
		if a.trail != "" {
			continue
		}
		_, place := s.nameOf(b.key)
		switch pair := a.key + " " + b.key; {
		case pairs[pair], set("north south east west new saint san los las el santa")[a.key] && place && !people[b.key],
			placeKinds[b.key] && !functionWords["en"][a.key] && a.letters() && !set("main high busy narrow long wide whole same other every state local next one big city")[a.key] && b.key != "drive" && b.key != "island":
			a.setCore(capitalised(a.core))
			b.setCore(capitalised(b.core))
		case (a.key == "may" || a.key == "march") && b.hasDigit():
			a.setCore(capitalised(a.core))
		}
	}
	for i := 2; i < len(t.words); i++ { // 400 South Main Street
		if b := &t.words[i-1]; (t.words[i].key == "street" || b.capital() && placeKinds[t.words[i].key]) && set("north south east west")[t.words[i-2].key] && b.capital() {
			t.words[i-2].setCore(capitalised(t.words[i-2].core))
		}
	}
}

var pairs = func() map[string]bool {
	m := map[string]bool{}
	for _, p := range []string{
		"white house", "national guard", "supreme court", "wall street", "main street", "middle east", "north america", "south america", "latin america",
		"new york", "new jersey", "new mexico", "new hampshire", "new orleans", "new zealand", "new delhi", "north carolina", "south carolina", "north dakota", "south dakota",
		"west virginia", "rhode island", "united states", "united kingdom", "united nations", "european union", "soviet union", "south africa", "south korea", "north korea",
		"saudi arabia", "el salvador", "sierra leone", "burkina faso", "sri lanka", "costa rica", "puerto rico", "hong kong", "los angeles", "san francisco", "san diego", "san antonio", "las vegas", "salt lake",
		"white sea", "black sea", "red cross", "world cup", "super bowl", "north sea", "pacific ocean", "atlantic ocean", "high court", "prime minister's", "downing street",
		"silicon valley", "star wars", "world war", "ivory coast", "santa claus", "great britain", "northern ireland",
	} {
		m[p] = true
	}
	return m
}()
