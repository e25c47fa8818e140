package materials

// words are those of prose that the table does not have as a row's name or alias: they
// mean the row in a sentence only.
type words struct {
	row    string
	family string // how the names of the rows begin that they leave open
	note   string // what is assumed
	said   []string
}

var prose = []words{
	{"steel S235", "steel", "the grade was not named: S235, the lowest structural grade", []string{"steel", "structural steel", "carbon steel", "mild steel", "low carbon steel", "plain steel"}},
	{"steel S235", "", "ASTM A36 is taken as S235, the nearest grade of EN 10025-2", []string{"A36", "A36 steel", "ASTM A36"}},
	{"steel S235", "", "", []string{"St 37", "St 37-2"}},
	{"steel S355", "", "", []string{"St 52", "St 52-3"}},
	{"steel 42CrMo4", "", "", []string{"4140", "AISI 4140", "1.7225"}},
	{"stainless steel 304", "stainless steel", "the grade was not named: 304", []string{"stainless steel", "stainless", "inox"}},
	{"stainless steel 304", "", "", []string{"304", "AISI 304", "304 steel", "AISI 304 steel", "1.4301"}},
	{"stainless steel 316", "", "", []string{"316", "AISI 316", "316 steel", "AISI 316 steel", "1.4401"}},
	{"stainless steel 316", "stainless steel 316", "V4A is taken as 1.4401", []string{"V4A"}},
	{"stainless steel 304L", "", "", []string{"AISI 304L"}},
	{"stainless steel 316L", "", "", []string{"AISI 316L", "1.4404"}},
	{"cast iron EN-GJL-250", "cast iron", "the grade was not named: EN-GJL-250", []string{"cast iron"}},
	{"cast iron EN-GJL-250", "cast iron EN-GJL", "the grade was not named: EN-GJL-250", []string{"grey cast iron", "grey iron"}},
	{"aluminium of EN 1999", "aluminium", "the alloy was not named", []string{"aluminium", "alu", "aluminium alloy"}},
	{"aluminium 6061-T6", "aluminium 6061", noTemper + "T6", []string{"aluminium 6061", "6061", "AA6061", "Al 6061"}},
	{"aluminium 6082-T6", "aluminium 6082", noTemper + "T6", []string{"aluminium 6082", "6082", "AA6082", "Al 6082", "AlMgSi1"}},
	{"aluminium 7075-T6", "aluminium 7075", noTemper + "T6", []string{"aluminium 7075", "7075", "AA7075", "Al 7075"}},
	{"aluminium 2024-T3", "aluminium 2024", noTemper + "T3", []string{"aluminium 2024", "2024", "AA2024", "Al 2024"}},
	{"titanium Grade 5", "titanium", "the grade was not named: Grade 5 (Ti-6Al-4V)", []string{"titanium", "titanium alloy"}},
	{"titanium Grade 2", "", "the grade was not named: Grade 2", []string{"pure titanium", "commercially pure titanium", "CP titanium"}},
	{"copper Cu-ETP annealed", "copper", noTemper + "annealed, the softest", []string{"copper"}},
	{"brass C36000 soft", "brass", "the alloy was not named: C36000, soft", []string{"brass", "free cutting brass"}},
	{"Inconel 718", "Inconel", "the alloy was not named: 718", []string{"Inconel"}},
	{"concrete C30/37", "concrete", "the class was not named: C30/37", []string{"concrete", "plain concrete"}},
	{"PA6", "PA", "the kind was not named: PA6", []string{"nylon", "polyamide"}},
	{"PA6", "", "", []string{"PA 6"}},
	{"PA6", "", "PA66 is taken as PA6, its nearest in the table", []string{"PA66", "PA 66", "nylon 66", "nylon 6/6", "polyamide 66"}},
	{"PA12, laser sintered", "", "PA12 is taken as laser sintered", []string{"PA12", "PA 12", "nylon 12", "polyamide 12"}},
	{"PE-HD", "PE-", "the density class was not named: PE-HD", []string{"PE", "polyethylene"}},
	{"POM", "", "Delrin, a homopolymer, is taken as POM", []string{"Delrin"}},
	{"PP", "", "", []string{"PP"}},
	{"PC", "", "", []string{"PC plastic"}},
	{"ABS", "", "", []string{"ABS plastic"}},
	{"PLA", "", "", []string{"PLA plastic"}},
	{"water", "", "", []string{"fresh water", "cold water", "tap water"}},
	{"air", "", "", []string{"ambient air", "dry air", "airflow", "air flow"}},
}

const noTemper = "the temper was not named: "

// others are names of the table that are mostly something else in a sentence: a cable, a
// coating, a carbide, what holds fibres, a control unit.
var others = []string{"lead", "zinc", "tungsten", "epoxy", "epoxy resin", "E-Cu"}

// Vague are words of materials that leave open what the table has, each with a name that
// does not.
var Vague = map[string]string{"bronze": "bronze CuSn8", "magnesium": "magnesium AZ31B-H24",
	"lead": "pure lead", "zinc": "pure zinc", "tungsten": "pure tungsten", "epoxy": "unfilled epoxy"}
