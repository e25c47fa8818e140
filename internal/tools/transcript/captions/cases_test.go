package captions

import (
	"strings"
	"testing"
)

// Each makes the language of a text plain.
const (
	inEnglish    = " This is what we have to say about it and they know that it is so."
	inGerman     = " Das ist es, was wir dazu sagen, und sie wissen, dass es so ist."
	inFrench     = " C'est ce que nous avons à dire et ils savent que c'est dans la rue."
	inSpanish    = " Esto es lo que tenemos que decir y ellos saben que no es para los otros."
	inPortuguese = " Isto é o que nós temos para dizer e eles sabem que não é para os outros."
)

// What a person who cleans transcripts takes out, and what he lets stand.
var cases = []struct{ name, tail, given, want string }{
	// fillers that are content
	{"like", inEnglish, "I like it, and, like, you like it too.", "I like it, and you like it too."},
	{"like as", inEnglish, "It looks like rain, like yesterday.", "It looks like rain, like yesterday."},
	{"you know the answer", inEnglish, "You know the answer, you know, and I know it.", "You know the answer, and I know it."},
	{"do you know", inEnglish, "Do you know, Mary, what I mean?", "Do you know, Mary, what I mean?"},
	{"I mean it", inEnglish, "I mean it. I mean, it was late.", "I mean it. It was late."},
	{"um in German", inGerman, "Wir treffen uns um 8 Uhr, ähm, um das zu klären.", "Wir treffen uns um 8 Uhr, um das zu klären."},
	{"er in German", inGerman, "Er kommt, und er, äh, er geht.", "Er kommt, und er geht."},
	{"also", inGerman, "Also, wir gehen. Er ist also da.", "Wir gehen. Er ist also da."},
	{"halt", inGerman, "Halt! Das ist, halt, so. Er macht halt mit.", "Halt! Das ist so. Er macht halt mit."},
	{"ne", inGerman, "Das geht, ne? Keine Frage.", "Das geht? Keine Frage."},
	{"quoi", inFrench, "C'est bien, quoi. Quoi de neuf ?", "C'est bien. Quoi de neuf ?"},
	{"du coup", inFrench, "Il est, du coup, en retard. Du coup il court.", "Il est en retard. Du coup il court."},
	{"este", inSpanish, "Este libro, este, es bueno. Este año no.", "Este libro es bueno. Este año no."},
	{"um in Portuguese", inPortuguese, "Ele tem um carro e um cão, né?", "Ele tem um carro e um cão?"},
	{"mm", inEnglish, "It is 5 mm thick, um, and 12 mm long.", "It is 5 mm thick, and 12 mm long."},
	{"ER", inEnglish, "She was in the ER for, er, two hours.", "She was in the ER for two hours."},
	{"uh-huh", inEnglish, "Uh-huh. That is right.", "Uh-huh. That is right."},
	{"several at once", inEnglish, "So, um, you know, I mean, like, we won.", "So, we won."},
	{"at the end", inEnglish, "We won, um. It was, you know.", "We won. It was."},
	{"in quotes", inEnglish, `He said "um" twice and left.`, `He said "um" twice and left.`},

	// repeats
	{"the the", inEnglish, "the the house of of the town", "The house of the town"},
	{"that that", inEnglish, "I know that that man had had enough.", "I know that that man had had enough."},
	{"no no no", inEnglish, "No, no, no, it was very very good.", "No, no, no, it was very very good."},
	{"numbers", inEnglish, "In twenty twenty we sold 20 20 and two two.", "In twenty twenty we sold 20 20 and two two."},
	{"name", inEnglish, "They played with Duran Duran in New New York.", "They played with Duran Duran in New New York."},
	{"prefixes", inEnglish, "The master was re-re-recorded in 1999.", "The master was re-re-recorded in 1999."},
	{"restart", inEnglish, "We went, we went to the shop.", "We went to the shop."},
	{"step by step", inEnglish, "We did it step by step by step, day after day after day.", "We did it step by step by step, day after day after day."},
	{"thank you", inEnglish, "Thank you, thank you. Come on, come on.", "Thank you, thank you. Come on, come on."},
	{"nous nous", inFrench, "Nous nous sommes vus, et vous vous êtes tus.", "Nous nous sommes vus, et vous vous êtes tus."},
	{"sehr sehr", inGerman, "Das ist sehr, sehr gut und ganz ganz toll.", "Das ist sehr, sehr gut und ganz ganz toll."},
	{"relative", inGerman, "Das ist für die, die kommen.", "Das ist für die, die kommen."},
	{"der der", inGerman, "Das ist der Mann, der der Frau half.", "Das ist der Mann, der der Frau half."},
	{"das das", inGerman, "Es ist das Kind, das das Brot aß, und die Leute, die die Brücke bauten.", "Es ist das Kind, das das Brot aß, und die Leute, die die Brücke bauten."},
	{"dem dem", inGerman, "Er kennt den Mann, dem dem Namen nach alles gehört, mit dem dem Dorf geholfen ist.", "Er kennt den Mann, dem dem Namen nach alles gehört, mit dem dem Dorf geholfen ist."},
	{"verb of both clauses", inGerman, "Alle, die die Brücke gebaut haben, haben gewonnen.", "Alle, die die Brücke gebaut haben, haben gewonnen."},
	{"verb of both clauses, bare", inGerman, "Alle die die Prüfung bestanden haben haben gewonnen", "Alle die die Prüfung bestanden haben haben gewonnen"},
	{"verb said again", inGerman, "Wir haben haben das schon gesehen.", "Wir haben das schon gesehen."},
	{"die die das", inGerman, "Ich kenne die die das machen", "Ich kenne die die das machen"},
	{"etwas das das", inGerman, "Das ist etwas das das Team nicht weiß.", "Das ist etwas das das Team nicht weiß."},
	{"without commas", inGerman, "Wir sehen den Mann der der Frau half.", "Wir sehen den Mann der der Frau half."},
	{"Die, die die", inGerman, "Die, die die Brücke bauten, sind hier. Wir fragen den, den du kennst.", "Die, die die Brücke bauten, sind hier. Wir fragen den, den du kennst."},
	{"dass das das", inGerman, "Wir wissen, dass das das Problem ist. Ist das das Haus?", "Wir wissen, dass das das Problem ist. Ist das das Haus?"},
	{"German stutter", inGerman, "Wir haben den den Schlüssel, ja, die die Tür und sehen das, das Haus. Das das reicht.", "Wir haben den Schlüssel, ja, die Tür und sehen das Haus. Das reicht."},
	{"dat dat", " Dit is wat wij te zeggen hebben en zij weten dat het zo is.", "Wij weten dat dat waar is, en de de man ook.", "Wij weten dat dat waar is, en de man ook."},
	{"her her", inEnglish, "We gave her her book.", "We gave her her book."},
	{"Uh Huh Her", inEnglish, "We saw Uh Huh Her in Lisbon. Uh Huh Her was good, um, and, Uh, he sang in Um. He left.", "We saw Uh Huh Her in Lisbon. Uh Huh Her was good, and he sang in Um. He left."},
	{"uh huh", inEnglish, "Uh huh. Mm hmm, that is right. Um, yes.", "Uh huh. Mm hmm, that is right. Yes."},
	{"a line that begins with a capital", inEnglish, "We went there and\nUm went home.", "We went there and went home."},
	{"Er Wei", inEnglish, "Er Wei built it with Um Hong-gil. Um Hong-gil knows. Er, Wei left. Um, Ann too.", "Er Wei built it with Um Hong-gil. Um Hong-gil knows. Wei left. Ann too."},
	{"Malay", "", "Anak anak itu bermain main dengan orang orang tua.", "Anak anak itu bermain main dengan orang orang tua."},

	// words broken off
	{"I- I-", inEnglish, "I- I- I was th- there.", "I was there."},
	{"W-we", inEnglish, "W-we saw b-b-but could not.", "We saw but could not."},
	{"t-test", inEnglish, "The t-test and the x-ray of a D-Day e-mail.", "The t-test and the x-ray of a D-Day e-mail."},
	{"suspended", inEnglish, "The pre- and post-test of two- and three-year-olds.", "The pre- and post-test of two- and three-year-olds."},
	{"Vor-", inGerman, "Die Vor- und Nachteile der Ein- oder Ausfuhr.", "Die Vor- und Nachteile der Ein- oder Ausfuhr."},
	{"name goes on", inEnglish, "We met Mar- Maria there.", "We met Maria there."},
	{"name alone", inEnglish, "We met Mar- and then Jo.", "We met Mar- and then Jo."},
	{"dash", inEnglish, "We were — as I said — late.", "We were — as I said — late."},

	// broken lines
	{"hyphenation", inEnglish, "The infor-\nmation is well-\nknown in Saint-\nMalo.", "The information is well-known in Saint-Malo."},
	{"line ends in a false start", inEnglish, "I was go-\ngoing home.", "I was going home."},
	{"paragraphs", inEnglish, "One ends here.\n\nTwo goes\non.", "One ends here.\n\nTwo goes on."},
	{"broken paragraph", inEnglish, "One goes\n\non here.", "One goes on here."},
	{"Chinese", "", "你好，\n世界。\n這是 字幕。", "你好，世界。這是 字幕。"},
	{"Arabic", "", "مرحبا بكم\nفي البرنامج", "مرحبا بكم في البرنامج"},
	{"Japanese", "", "[音楽]\nこんにちは、\n皆さん。", "こんにちは、皆さん。"},

	// sentences
	{"case", inEnglish, "so we go. um, then he left? yes! i'm here.", "So we go. Then he left? Yes! I'm here."},
	{"abbreviations", inEnglish, "Dr. smith of the U.S. navy, e.g. the one vs. him at 5 p.m. and so on.", "Dr. smith of the U.S. navy, e.g. the one vs. him at 5 p.m. and so on."},
	{"initials", inEnglish, "J. R. R. Tolkien wrote it. it is long.", "J. R. R. Tolkien wrote it. It is long."},
	{"ordinals", inGerman, "Am 14. und 15. mai kam er. dann ging er.", "Am 14. und 15. mai kam er. Dann ging er."},
	{"addresses", inEnglish, "see www.example.org/a?b=1. iPhone is it. mail a.b@example.org. example.com works.", "See www.example.org/a?b=1. iPhone is it. Mail a.b@example.org. example.com works."},
	{"dots", inEnglish, "we waited... and waited… then he came.", "We waited... and waited… then he came."},
	{"numbers stay", inEnglish, "1,204.5 and 3.14, $5.99, 7:30, 50%, -4 °C, 1/2, #3, 2x4, 10^6, 1st, 90s.", "1,204.5 and 3.14, $5.99, 7:30, 50%, -4 °C, 1/2, #3, 2x4, 10^6, 1st, 90s."},
	{"quotation", inEnglish, `"Why?" she asked. "because."`, `"Why?" she asked. "Because."`},

	// units
	{"units", inEnglish, "It held 5 MPA, 5 MPa and 3 KM.", "It held 5 MPA, 5 MPa and 3 KM."},

	// tags and brackets
	{"tags", inEnglish, "[Music] We (laughs) said that *applause* it is (about 40 percent) [sic] of a[0].", "We said that it is (about 40 percent) [sic] of a[0]."},
	{"not understood", inEnglish, "It was [inaudible] million dollars, and we did [unintelligible] sign. (crosstalk) We [cross-talk 00:10:15] left.", "It was [inaudible] million dollars, and we did [unintelligible] sign. (crosstalk) We [cross-talk 00:10:15] left."},
	{"not understood twice", inEnglish, "[inaudible] [inaudible] went. [laughter, inaudible] [unclear]", "[inaudible] [inaudible] went. [laughter, inaudible] [unclear]"},
	{"not understood in a crowd", inEnglish, "[indistinct chatter] We go. [inaudible over chatter] He stays. [audience member, inaudible]", "We go. [inaudible over chatter] He stays. [audience member, inaudible]"},
	{"not understood after a name", inEnglish, "ANNA: We go. [inaudible]\nBOB: [Inaudible]: we stay. [INDISTINCT]", "ANNA: We go. [inaudible]\n\nBOB: [Inaudible]: we stay. [INDISTINCT]"},
	{"unverständlich", inGerman, "Das sind (unverständlich) Euro, und wir haben [unv.] unterschrieben. (lacht)", "Das sind (unverständlich) Euro, und wir haben [unv.] unterschrieben."},
	{"inaudible in French", inFrench, "Nous avons (inaudible) signé [inintelligible]. (rires)", "Nous avons (inaudible) signé [inintelligible]."},
	{"ininteligible", inSpanish, "Son [ininteligible] millones (inaudible). [risas]", "Son [ininteligible] millones (inaudible)."},
	{"inaudível", inPortuguese, "São [inaudível] milhões (ininteligível). [risos]", "São [inaudível] milhões (ininteligível)."},
	{"onverstaanbaar", " Dit is wat wij te zeggen hebben en zij weten dat het zo is.", "Het waren (onverstaanbaar) miljoen. (lacht)", "Het waren (onverstaanbaar) miljoen."},
	{"incomprensibile", " Questo è quello che abbiamo da dire e loro sanno che non è per gli altri.", "Erano [incomprensibile] milioni (inudibile). (risate)", "Erano [incomprensibile] milioni (inudibile)."},
	{"hidden word", inEnglish, "What the [ __ ] is that?", "What the is that?"},
	{"notes", inEnglish, "♪ we sing a song ♪", "We sing a song"},
	{"entities", inEnglish, "Q&amp;A &gt; R&D &lt; x", "Q&A > R&D < x"},
	{"less than", inEnglish, "if x < y and y > z then", "If x < y and y > z then"},

	// speakers
	{"labels", inEnglish, "ANNA: Hello there.\nBOB: Hi.\nANNA: We go.\nWe stay.", "ANNA: Hello there.\n\nBOB: Hi.\n\nANNA: We go. We stay."},
	{"no label", inEnglish, "He said one thing: stop.\nThe time: 10:30.", "He said one thing: stop. The time: 10:30."},
	{"chevrons", inEnglish, ">> Hello there. >> Hi, it is me.\n>> BOB: It is late.", "– Hello there.\n\n– Hi, it is me.\n\nBOB: It is late."},
	{"times", inEnglish, "[00:00:01] Anna: We go.\n[00:00:05] Bob: At 10:30 we stay.", "Anna: We go.\n\nBob: At 10:30 we stay."},
	{"name and time", inEnglish, "Anna Lee (00:01)\nWe go.\nBob Ray (00:05)\nWe stay.", "Anna Lee: We go.\n\nBob Ray: We stay."},
	{"lines of times", inEnglish, "0:01\nwe go\n0:04\nwe stay\n0:09\nwe sleep", "We go we stay we sleep"},
	{"scores", "", "Final scores:\n21:15 in the first set\n18:21 in the second\n21:19 in the third", "Final scores: 21:15 in the first set 18:21 in the second 21:19 in the third"},
	{"rising scores", "", "15:21 in the first set\n18:21 in the second\n21:19 in the third", "15:21 in the first set 18:21 in the second 21:19 in the third"},
	{"agenda", "", "9:00 Opening\n9:30 Budget vote\n10:15 Coffee", "9:00 Opening 9:30 Budget vote 10:15 Coffee"},
	{"agenda in sentences", "", "9:00 We open the meeting and read the minutes of the last one.\n9:30 We vote on the budget that the board has put before us.\n10:15 We drink coffee.", "9:00 We open the meeting and read the minutes of the last one. 9:30 We vote on the budget that the board has put before us. 10:15 We drink coffee."},
	{"timetable", "", "Lisbon 9:32\nThe train leaves.\nPorto 12:41\nThe train arrives.", "Lisbon 9:32 The train leaves. Porto 12:41 The train arrives."},
	{"verses", "", "3:16 For God so loved the world that he gave his only Son for all of us.\n3:17 For God sent not his Son into the world to condemn the world but to save it.\n3:18 He that believeth on him is not condemned.\n3:19 And this is the condemnation.", "3:16 For God so loved the world that he gave his only Son for all of us. 3:17 For God sent not his Son into the world to condemn the world but to save it. 3:18 He that believeth on him is not condemned. 3:19 And this is the condemnation."},
	{"recording", "", "0:00 we go to the town and\n0:03 then we stay there for long\n0:07 and the bridge is at 10:30 closed", "We go to the town and then we stay there for long and the bridge is at 10:30 closed"},
	{"part of a recording", "", "12:31 we go to the town and\n12:33 then we stay there for long\n12:37 and the bridge is closed", "We go to the town and then we stay there for long and the bridge is closed"},
	{"recording under a title", "", "The talk.\n\n0:02 we go to the town and\n0:05 then we stay there\n0:07 and it is late", "The talk.\n\nWe go to the town and then we stay there and it is late"},
	{"recording with music", "", "0:00 [Music]\n1:40 we go to the town and\n1:42 then we stay there for long\n1:45 [Applause]\n2:50 it is late", "We go to the town and then we stay there for long it is late"},
	{"times of a clock", "", "14:02 Ana: " + strings.Repeat("We go to the town and stay. ", 20) + "\n14:03 Jo: " + strings.Repeat("It is late and they know. ", 20) + "\n14:04 Ana: Yes.", "Ana: " + strings.TrimSpace(strings.Repeat("We go to the town and stay. ", 20)) + "\n\nJo: " + strings.TrimSpace(strings.Repeat("It is late and they know. ", 20)) + "\n\nAna: Yes."},
	{"Chinese recording", "", "0:01 你好，世界。今天我们说一说桥。\n0:06 这座桥很长，也很老。\n0:10 谢谢。", "你好，世界。今天我们说一说桥。这座桥很长，也很老。谢谢。"},
	{"off screen", inEnglish, "WOMAN (OVER PHONE): Don't go.\nFRANK: We (laughs) stay.", "WOMAN (OVER PHONE): Don't go.\n\nFRANK: We stay."},
	{"label after a tag", inEnglish, "Marco: We go to Rome. (laughs)\nGiulia: Yes.", "Marco: We go to Rome.\n\nGiulia: Yes."},
	{"ASS", inEnglish, "{\\an8}We <i>go</i> <font color=\"#fff\">now</font>.", "We go now."},
}

func TestCases(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			// The tail makes the language plain, in a paragraph of its own.
			given, want := c.given, c.want
			if c.tail != "" {
				given, want = "Xx: "+strings.TrimSpace(c.tail)+"\n\nYy: "+c.given, "Xx: "+strings.TrimSpace(c.tail)+"\n\nYy: "+c.want
				if strings.Contains(c.want, "\n\n") || strings.ContainsAny(c.given[:1], ">[A0") || strings.Contains(c.given, ": ") {
					given, want = c.given+"\n\n"+"Zz: "+strings.TrimSpace(c.tail), c.want+"\n\n"+"Zz: "+strings.TrimSpace(c.tail)
				}
			}
			if got, report := Clean(given); got != want {
				t.Errorf("%v\ngiven %q\ngot   %q\nwant  %q", report.Languages, given, got, want)
			}
		})
	}
}

// Teams writes the times of its transcripts without padding, and a line with the
// speaker's name under each.
func TestTranscriptsOfTeams(t *testing.T) {
	const given = "Weekly call\n\n0:0:0.0 --> 0:0:3.120\nAna Silva\nUm, hello everyone.\n\n0:0:3.120 --> 0:0:5.5\nAna Silva\nWe have 42 bridges\nand no boat.\n\n0:0:7.80 --> 0:1:2.90\nRay, Bob (Guest)\nAt 10:30?\n0:1:3.0 --> 0:1:4.0\nAna Silva\nYes.\n"
	const want = "Weekly call\n\nAna Silva: Hello everyone. We have 42 bridges and no boat.\n\nRay, Bob (Guest): At 10:30?\n\nAna Silva: Yes."
	got, report := Clean(given)
	if got != want || report.Removed[Timestamps] != 4 || report.Format != FormatSRT {
		t.Errorf("%+v\n%s", report, got)
	}
	padded := strings.NewReplacer("0:0:0.0 ", "00:00:00.000 ", "0:0:3.120", "00:00:03.120", "0:0:5.5", "00:00:05.500", "0:0:7.80", "00:00:07.800", "0:1:2.90", "00:01:02.900", "0:1:3.0", "00:01:03.000", "0:1:4.0", "00:01:04.000")
	if got, _ := Clean(padded.Replace(given)); got != want {
		t.Errorf("with padded times:\n%s", got)
	}
	const captions = "00:00:00.000 --> 00:00:02.000\nAna Silva\nwent to Porto\n\n00:00:02.000 --> 00:00:04.000\nBob Ray\nstayed here"
	if got, _ := Clean(captions); got != "Ana Silva went to Porto Bob Ray stayed here" {
		t.Errorf("captions of two lines: %q", got)
	}
}

// A text in capitals hides how a unit is written; after a number it gets its symbol.
func TestUnitsInCapitals(t *testing.T) {
	const given = "THE LOAD WAS 5 MPA AND THE BEAM IS 3 KM LONG. IT WAS 20 KN AT 2.4GHZ AND 60 HZ, AND 7 MAH OF A 12 KWH PACK. THE MPA OF IT IS NOT WHAT WE HAVE."
	const want = "The load was 5 MPa and the beam is 3 km long. It was 20 kN at 2.4GHz and 60 Hz, and 7 mAh of a 12 kWh pack. The mpa of it is not what we have."
	if got, _ := Clean(given); got != want {
		t.Errorf("%s", got)
	}
}
