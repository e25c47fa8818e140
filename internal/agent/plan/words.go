package plan

import (
	"regexp"
	"strings"
)

// class of an item of a sentence.
type class int

const (
	classPlace class = iota
	classDirection
	classQuantity
	classVector
	classMaterial
	classSupport
	classLoad
	classShow
	classMesh
	classView
	classHeat
	classFlow
	classGravity
	classUnsure // a place or support that the solver cannot take
	classWeak   // a comma, "and"
	classStrong // the end of a sentence
	classAnd    // "and" and what means it
	classCircuit
	classPhysics
)

// phrase is a row of the vocabulary: an expression at a word's beginning, its
// class and its meaning. Earlier rows win.
type phrase struct {
	class class
	value string
	exp   *regexp.Regexp
	first [256]bool // the bytes that a match can begin with
}

const (
	side    = `(?:[- ]hand)?(?:[- ]?most)?(?:[- ](?:faces?|sides?|surfaces?|ends?|walls?|boundar(?:y|ies)|planes?|hand sides?))?`
	article = `(?:the |its |a |this |that |my )?`
	ofHoles = `(?:bolt |screw |mounting |load |loading |pin |pivot |bearing |through |drill(?:ed)? |central |cent(?:re|er) |biggest |bigger |big |largest |larger |large |smallest |smaller |small |main |round |circular )*`
	fillers = `(?:fully |rigidly |firmly |completely |entirely |totally )?`
)

func words(c class, value, expression string) phrase {
	return phrase{c, value, regexp.MustCompile(`^(?:` + expression + `)`), firstBytes(expression)}
}

// vocabulary is what the planner understands, in lower case.
var vocabulary = []phrase{
	words(classView, "top", `(?:pictures?|views?|images?|render(?:ing|ed)?|seen|looking|plots?|it) (?:from|of) (?:the )?(?:top|above)\b|(?:top|plan) view`),
	words(classView, "bottom", `(?:pictures?|views?|images?|render(?:ing|ed)?|seen|looking|plots?|it) from (?:the )?(?:bottom|below)\b|bottom view`),
	words(classView, "front", `(?:pictures?|views?|images?|render(?:ing|ed)?|seen|looking|plots?|it) from (?:the )?front\b|front view`),
	words(classView, "back", `(?:pictures?|views?|images?|render(?:ing|ed)?|seen|looking|plots?|it) from (?:the )?(?:back|rear|behind)\b|(?:back|rear) view`),
	words(classView, "left", `(?:pictures?|views?|images?|render(?:ing|ed)?|seen|looking|plots?|it) from (?:the )?left\b|left view`),
	words(classView, "right", `(?:pictures?|views?|images?|render(?:ing|ed)?|seen|looking|plots?|it) from (?:the )?right\b|right view`),
	words(classView, "isometric", `isometric(?: view)?|iso view`),

	words(classMesh, "fine", `(?:very |extra |quite |rather )?(?:fine(?:r|ly)?|dense|detailed|high[- ]res(?:olution)?|refined)[- ](?:tetrahedral |volume )?(?:mesh(?:ed)?|grid|resolution|elements?|discreti[sz]ation)|high[- ]res(?:olution)?\b|mesh (?:should be |must be |is |it )?(?:very )?(?:fine|dense)(?:r|ly)?`),
	words(classMesh, "coarse", `(?:very |quite |rather )?(?:coarse(?:r|ly)?|rough|crude|low[- ]res(?:olution)?)[- ](?:tetrahedral |volume )?(?:mesh(?:ed)?|grid|resolution|elements?|discreti[sz]ation)|low[- ]res(?:olution)?\b|mesh (?:should be |must be |is |it )?(?:very )?coarse(?:r|ly)?`),

	words(classGravity, "", `(?:under |by |due to |its )*(?:own|self|dead)[- ]?weight|gravity(?: load)?|gravitational(?: load)?|sags? under itself`),

	words(classDirection, "down", `(?:(?:in|along) (?:the )?direction of gravity|(?:vertically |straight |pointing )?down(?:wards?|wardly)?)\b`),
	words(classDirection, "up", `(?:vertically |straight |pointing )?up(?:wards?|wardly)\b|(?:vertically |straight )?up\b`),
	words(classDirection, "+x", `(?:in|along|towards?|parallel to|into) (?:the )?(?:\+ ?|positive |plus )x(?:[- ](?:direction|axis|dir))?\b|(?:\+ ?|positive |plus )x(?:[- ](?:direction|axis|dir))?\b|to(?:wards)? (?:the )?right\b|rightwards?\b`),
	words(classDirection, "-x", `(?:in|along|towards?|parallel to|into) (?:the )?(?:- ?|negative |minus )x(?:[- ](?:direction|axis|dir))?\b|(?:- ?|negative |minus )x(?:[- ](?:direction|axis|dir))?\b|to(?:wards)? (?:the )?left\b|leftwards?\b`),
	words(classDirection, "+y", `(?:in|along|towards?|parallel to|into) (?:the )?(?:\+ ?|positive |plus )y(?:[- ](?:direction|axis|dir))?\b|(?:\+ ?|positive |plus )y(?:[- ](?:direction|axis|dir))?\b|to(?:wards)? (?:the )?(?:back|rear)\b|backwards?\b|rearwards?\b`),
	words(classDirection, "-y", `(?:in|along|towards?|parallel to|into) (?:the )?(?:- ?|negative |minus )y(?:[- ](?:direction|axis|dir))?\b|(?:- ?|negative |minus )y(?:[- ](?:direction|axis|dir))?\b|to(?:wards)? (?:the )?front\b|forwards?\b`),
	words(classDirection, "+z", `(?:in|along|towards?|parallel to|into) (?:the )?(?:\+ ?|positive |plus )z(?:[- ](?:direction|axis|dir))?\b|(?:\+ ?|positive |plus )z(?:[- ](?:direction|axis|dir))?\b`),
	words(classDirection, "-z", `(?:in|along|towards?|parallel to|into) (?:the )?(?:- ?|negative |minus )z(?:[- ](?:direction|axis|dir))?\b|(?:- ?|negative |minus )z(?:[- ](?:direction|axis|dir))?\b`),
	words(classDirection, "x", `f_?x\b`),
	words(classDirection, "y", `f_?y\b`),
	words(classDirection, "z", `f_?z\b`),
	words(classDirection, "x", `(?:in|along) (?:the )?x(?:[- ](?:direction|axis|dir))?\b|x[- ](?:direction|axis|dir)\b|x is held|x only|only x\b`),
	words(classDirection, "y", `(?:in|along) (?:the )?y(?:[- ](?:direction|axis|dir))?\b|y[- ](?:direction|axis|dir)\b|y is held|y only|only y\b`),
	words(classDirection, "z", `(?:in|along) (?:the )?z(?:[- ](?:direction|axis|dir))?\b|z[- ](?:direction|axis|dir)\b|z is held|z only|only z\b`),
	words(classDirection, "in", `inwards?\b|into (?:the )?(?:part|material|surface|face|body|solid)\b|(?:normal|perpendicular)(?:ly)?(?: (?:to|onto|into) (?:the |it|that)?(?:surface|face)?)?`),
	words(classDirection, "out", `outwards?\b|out of (?:the )?(?:part|material|surface|face|body)\b|away from (?:the )?(?:part|surface|face|body)\b`),
	words(classDirection, "vertical", `vertical(?:ly)?\b`),
	words(classDirection, "unclear", `horizontal(?:ly)?\b|sideways\b|lateral(?:ly)?\b|transverse(?:ly)?\b|tangential(?:ly)?\b|oblique(?:ly)?\b|diagonal(?:ly)?\b|at an angle\b`),
	words(classDirection, "axial", `axial(?:ly)?\b|lengthwise\b|along (?:the|its) (?:length|axis)\b`),

	words(classPlace, "rest", `(?:(?:on |at )?(?:all |the |every )*(?:other|remaining) (?:faces?|surfaces?|sides?|boundar(?:y|ies)|outer (?:faces?|surfaces?)|exterior (?:faces?|surfaces?)|walls?)|(?:the )?rest(?: of (?:the |its )?(?:outer )?(?:faces?|surfaces?|sides?|part|boundar(?:y|ies)|body))?|everything else|everywhere else|elsewhere|otherwise)\b`),
	words(classPlace, "all", `(?:(?:on |at )?all (?:of the |the )?(?:outer |outside |external |exterior )?(?:faces|surfaces|sides|boundaries|walls)|(?:the )?(?:whole|entire) (?:outer |outside )?(?:surface|boundary|skin|outside)|(?:the )?(?:outer|outside|external|exterior) (?:surfaces?|faces|skin)|everywhere|all around)\b`),
	words(classUnsure, "place", `(?:mid[- ]?span|(?:in |at |on )?(?:the )?(?:middle|cent(?:re|er))(?: of)?|halfway|half way|(?:upper|lower|left|right|top|bottom|front|back|outer|inner|free)?[- ]?(?:edges?|corners?|vertex|vertices|rim)|upper half|lower half|top half|bottom half|left half|right half|(?:one|the other) (?:side|face))\b`),
	words(classPlace, "end_other", `(?:free|other|opposite|far|second|unsupported|loose|outer|loaded)[- ](?:end|tip|extremity)\b|(?:the )?tip\b`),
	words(classPlace, "side_other", `(?:opposite|opposing) (?:side|face|surface|wall)\b`),
	words(classPlace, "end_one", `(?:one|first|near|built-in|wall|supported|root)[- ](?:end|extremity)\b|(?:the )?root\b`),
	words(classPlace, "ends", `(?:(?:both|the two|two|each|either|its)(?: of (?:the|its))? ends?|(?:the )?ends)\b`),
	words(classPlace, "sides", `(?:both|the two|two)(?: of the)? sides\b`),
	words(classUnsure, "place", `(?:the |all |lateral |its )*(?:sides|lateral (?:faces|surfaces)|side (?:faces|walls))\b`),
	words(classPlace, "left", `(?:left (?:free|open|alone|as|out|unloaded|over|insulated)\b)?left`+side+`\b|lhs\b`),
	words(classPlace, "right", `right`+side+`\b|rhs\b`),
	words(classPlace, "top", `(?:top|upper|uppermost|topmost)`+side+`\b|upside\b`),
	words(classPlace, "bottom", `(?:bottom|lower|lowest|lowermost|underneath|undermost)`+side+`\b|under ?side\b|base(?: (?:face|plane|surface|side))?\b|foot\b`),
	words(classPlace, "top", `from above\b`),
	words(classPlace, "bottom", `from below\b`),
	words(classPlace, "front", `front`+side+`\b`),
	words(classPlace, "back", `(?:back|rear|hind)`+side+`\b`),
	words(classPlace, "bolt_holes", `(?:all |both |the |each of the |each |every |\d+ |two |three |four |five |six |eight )*(?:bolt|screw|mounting|fixing|fastener|fastening|rivet)[- ](?:holes|bores)\b`),
	words(classPlace, "holes", `(?:(?:all|both|each|every)(?: of)? (?:the )?|the )?(?:\d+ |two |three |four |five |six |eight )?`+ofHoles+`(?:holes|bores|drillings)\b|(?:each|every) `+ofHoles+`(?:hole|bore)\b|(?:inner|internal|inside) (?:surfaces?|faces?|walls?)\b|(?:the )?inside\b`),
	words(classPlace, "hole", ofHoles+`(?:hole|bore|drilling|eye)\b`),
	words(classPlace, "end", `ends?\b(?: face)?`),

	words(classUnsure, "analysis", `(?:natural |eigen|resonan(?:ce|t) ?)frequenc(?:y|ies)|eigenmodes?|mode shapes?|modal\b|buckl(?:e|es|ing)\b|fatigue\b|crack\w*|vibrat\w+|harmonic\b|impact\b|drop test|crash\b|thermal (?:stress(?:es)?|expansion|strain)|creep\b|plastic (?:deformation|strain)|plasticity\b|topology optimi[sz]\w+|turbulen\w+`),
	words(classUnsure, "support", `(?:simply|pin|roller)[- ]?supported|pinned|hinged|rollers?(?: support)?|on rollers|spring[- ]supported|elastic(?:ally)? (?:support(?:ed)?|foundation)`),
	words(classUnsure, "moment", `(?:bending )?moments?\b|torques?\b|twist(?:ing|ed)?\b|torsion(?:al)?\b`),
	words(classSupport, "symmetry", `symmetr(?:y|ic(?:al)?)(?: (?:plane|condition|boundary))?`),
	words(classSupport, "fixed", fillers+`(?:fix(?:ed|ing|es|ture|ity)?|clamp(?:ed|s|ing)?|held|hold(?:s|ing)?|restrain(?:ed|t|s)?|constrain(?:ed|t|s)?|anchor(?:ed|s)?|encastr[eé]?(?:d|red)?|built[- ]in|bolted|bolt|screwed|welded|glued|bonded|support(?:ed|s)?|mounted|attached|fastened|immovable|immobile|rest(?:s|ing)? on|stand(?:s|ing)? on|secured|nailed|gripped|locked|tied down|no displacement|zero displacement|can(?:not|'t| not) move|does(?:n't| not) move|must not move|not (?:allowed )?to move)\b(?: rigidly| firmly| fast| fixed| still| down| in place)?`),

	words(classSupport, "fixed", `(?:hang(?:s|ing)?|suspended) (?:from|on|at|off)\b`),
	words(classLoad, "suction", `suction|vacuum|under ?pressure|negative pressure|outward pressure`),
	words(classLoad, "traction", `traction|shear(?: stress| traction)?`),
	words(classLoad, "displacement", `displaced|(?:enforced|prescribed|imposed) (?:displacement|deflection|movement)|moved|shifted|pressed in by|displacement of`),
	words(classLoad, "push", `push(?:es|ed|ing)?|press(?:es|ed|ing)?(?: on| against)?|compress(?:es|ed|ing|ion|ive)?(?: (?:force|load))?|squeez(?:e|es|ed|ing)`),
	words(classLoad, "pull", `pull(?:s|ed|ing)?(?: on| at)?|tension(?:ed)?|tensile(?: (?:force|load))?|stretch(?:es|ed|ing)?|tug(?:s|ged|ging)?`),
	words(classLoad, "weight", `(?:a )?(?:weigh(?:s|ing|t)?|mass(?: of)?|payload|person|people|carr(?:y|ies|ying)|hang(?:s|ing)?|suspended)\b`),
	words(classLoad, "load", `(?:point |total |distributed |uniform |resultant |static |axial |normal )*(?:forces?|load(?:s|ed|ing)?|thrust)\b|applied|apply|acts?\b|acting|exert(?:s|ed)?|bears?\b|bearing\b|carries`),
	words(classLoad, "pressure", `(?:internal |inner |external |outer |uniform |hydrostatic )?pressur(?:e|es|i[sz]ed)\b`),

	words(classHeat, "convection", `convect\w*|los(?:es?|ing) heat|heat[- ]transfer coefficient|film coefficient|(?:air[- ]|water[- ])?cooled(?: by)?|loses heat|heat loss|cooling|h ?(?:=|of)`),
	words(classHeat, "insulated", `(?:thermally |perfectly )?insulated|adiabatic|no heat flow`),
	words(classHeat, "initial", `initial(?:ly)?(?: temperature| state)?|starts?(?: at| from| with)?|starting(?: at| from| temperature)?|at the (?:start|beginning)|begin(?:s|ning)?|uniformly at|t ?= ?0(?: s)?\b`),
	words(classHeat, "ambient", `ambient(?: air| temperature)?|surround\w*|environment|room temperature|bulk temperature|t_?(?:inf|amb)\w*|outside air`),
	words(classHeat, "source", `(?:internal |volumetric |uniform )*heat (?:generation|source|production|release)|generates|dissipat\w+`),
	words(classHeat, "transient", `transient|time[- ]dependent|over time|unsteady|suddenly|heats? up|cools? down|warms? up|time step|dt ?=`),
	words(classHeat, "steady", `steady(?:[- ]state)?|stationary|equilibrium`),
	words(classHeat, "heat", `heat(?:s|ed|ing)?(?: (?:flux|flow|conduction|transfer|load|input))?\b|thermal(?:ly)?|conduct(?:ion|s)?\b|kept\b`),

	words(classFlow, "parabolic", `(?:parabolic|fully developed|poiseuille)(?: (?:velocity |inlet )?profile)?`),
	words(classFlow, "from", `from`),
	words(classFlow, "inlet", `inlets?\b|inflow|(?:flow(?:s|ing)?|com(?:es?|ing)|go(?:es|ing)?|stream(?:s|ing)?|pump(?:ed|s)|blow(?:s|n)|fed|pour(?:s|ed)) in(?:to)?(?: (?:at|through|from|by|on))?\b|enter(?:s|ing|ed)?\b|suppl(?:y|ied)\b|is fed|injected|in (?:at|through|by) |in ?: `),
	words(classFlow, "outlet", `outlets?\b|outflow|(?:flow(?:s|ing)?|com(?:es?|ing)|go(?:es|ing)?|stream(?:s|ing)?) out(?: of)?\b|leav(?:es?|ing)\b|exit(?:s|ing)?\b|discharg\w+|drain(?:s|ed)?\b|out(?: of it)? (?:at|through|on|by|to)\b`),
	words(classFlow, "wall", `mov(?:es|ing)\b|slid(?:es|ing)\b|(?:no[- ]slip )?walls?(?: no[- ]slip)?\b|no[- ]slip|lid\b`),
	words(classFlow, "out", `out\b`),
	words(classFlow, "flow", `flow(?:s|ing)?\b|fluid\b|cfd\b|navier[- ]stokes|stream(?:s|ing)?\b|pipe flow|channel flow|laminar|hydraulic`),

	words(classShow, "pressure_drop", `pressure (?:drop|loss|difference|field|distribution)`),
	words(classShow, "safety", `safety(?: factor| margin)?|factor of safety|(?:will|does|would|is|can) (?:it|this|the \w+) (?:yield|fail|break|hold|safe|withstand)(?: it)?|yield(?:s|ing)?\b|strong enough|safe\b|break\b`),
	words(classShow, "von_mises", `(?:von[- ]?mises|equivalent|max(?:imum)?|peak)(?: stress(?:es)?)?\b|stress(?:es|ed)?\b|mises\b`),
	words(classShow, "displacement", `displacements?\b|deflections?\b|deflects?\b|deform(?:s|ed|ations?)?\b|sags?\b|bends?\b|bending\b|stiffness\b|how (?:far|much) does it (?:move|bend)`),
	words(classShow, "temperature", `temperatures?(?: field| distribution)?\b|how (?:hot|warm|cold)`),
	words(classShow, "velocity", `velocit(?:y|ies)(?: field)?\b|flow field|speeds?\b|how fast`),
	words(classPhysics, "elasticity", `structural|static(?:s)?(?: analysis)?\b|elastic(?:ity)?\b|fea\b|fem\b|strength\b|cantilever\b|strain\b|mechanical`),
	words(classCircuit, "", `circuit|operating point|netlist|spice\b|ngspice|low[- ]?pass|high[- ]?pass|(?:voltage )?divider|resistor|capacitor|rc[- ](?:filter|low|high|circuit)`),

	words(classDirection, "x", `x\b`), // directly behind a number only: 2 kN z
	words(classDirection, "y", `y\b`),
	words(classDirection, "z", `z\b`),
	words(classWeak, "", `when\b|if\b`),
	words(classAnd, "and", `and\b|&|as well as\b|plus\b`),
	words(classWeak, "", `,|but\b|while\b|whereas\b|with\b|whilst\b|then\b|where\b|under\b`),
}

// plainWords are never taken for typing errors of the vocabulary.
var plainWords = set(`a able about above across after again all along also although always am among an analyse analyze and another any
	apart apply are area around as ask at away be because been before begin behind being below best better between big both bring but by
	calculate can case change check come compute could count cut data day dead deal did do does done due each easy either else end enough even ever
	every fact fall far fast feel felt few file fill find fine first flat for form found four free from full get give given go goes good got
	great had half hand has have he hear help her here high him his how i if in inch into is it its just keep kept know known large last late later
	least left less let life lift light like line link list little live load long look lot low made main make many may mean might mine mode model
	more most mount move much must my name near need never new next nice nine no none nor not note now number of off old on once one only open or order other
	our out over own pack page part pass past people per piece place plan plate please point poor port possible put quick rather read ready real
	run said same saw say see seem seen self send set several shape shall she short should show side simple since sits six size small so some soon
	start state stay step stop such sure table take taken tell ten test than thank thanks that the their them then there these they thick thin thing
	think this those three through time to together told too took try turn two under until up upon us use used using using very want was way we
	week well went were what when where whether which while who whole why wide will wish with within without word work world would write
	year yes yet you your beam bar rod pipe tube block wall bracket lug plate bolt screw print wood oak question material metal plastic grade glue
	mass stay stays raised air initially copper brass glass body cover hook hold wide stops loop lord host bold built fit fits feed lead fixture
	force forces held hose role pole mole tip top hot pot pop cop lot lost cost most post past paste waste taste load loads loud
	steal steam stem stay mill will fill bill bottle`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// keyWords are what a mistyped word is held against.
var keyWords = strings.Fields(`bottom top left right front back upper lower surface face hole holes fixed clamped constrained supported support
	steel stainless aluminium aluminum titanium copper brass concrete glass polycarbonate nylon water air glycerine
	downwards downward upwards upward pressure force newton stress stresses displacement deflection deformation temperature velocity
	inlet outlet convection insulated ambient mesh coarse element elements material gravity weight direction transient steady
	initially heated cooled underside suction traction symmetry density viscosity conductivity`)
