package main

// suite is a make target of the checks.
type suite struct {
	name string
	// need is how many seconds it takes on two quiet cores with nothing installed;
	// with less left it is not begun. limit is when it is ended.
	need, limit int
	// maySkip says why skips in it are no fault.
	maySkip string
}

// suites in their order: what finds most faults in the least time goes first, and
// nothing is asked of the rest when make test fails.
var suites = []suite{
	{"test", 1500, 3300, "each stands in internal/testenv/exceptions.txt; others fail"},
	{"lint", 100, 800, ""},
	{"demo", 15, 200, "the picture of the workbench, until test-browser has installed Chromium"},
	{"test-step", 110, 600, "STEP files that may not be copied, where ATELIER_SHARED is missing"},
	{"test-verify", 60, 600, ""},
	{"test-gmsh", 380, 900, ""},
	{"test-openai", 30, 400, ""},
	{"test-agent", 10, 300, ""},
	{"test-openapi", 180, 800, ""},
	{"test-postgres", 110, 500, "tests of S3, which test-s3 runs"},
	{"test-mcp", 35, 300, "scenarios of the conformance suite that make no check of their own"},
	{"test-s3", 20, 700, "tests of Postgres, which test-postgres runs"},
	{"test-harmony", 40, 300, "conversations kept in the folder of shared data"},
	{"test-stat", 160, 1500, ""},
	{"test-notebook", 40, 300, "notebooks of others, kept in the folder of shared data"},
	{"test-search", 65, 400, ""},
	{"test-web", 35, 300, ""},
	{"bench-web", 30, 300, "pages of others, kept in the folder of shared data"},
	{"test-mlx", 40, 400, ""},
	{"test-clients", 75, 400, ""},
	{"test-browser", 90, 500, ""},
	{"test-examples", 65, 400, ""},
}

// total is how many seconds the whole may take, unless ATELIER_CI_SECONDS says so.
const total = 5160
