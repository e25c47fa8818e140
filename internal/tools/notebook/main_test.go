package notebook_test

import (
	"os"
	"testing"

	"atelier/internal/engine"
	"atelier/internal/testenv"
)

// kernelHost runs notebooks where the engine is installed.
var kernelHost engine.Host

func TestMain(m *testing.M) {
	engine.SandboxMain()
	work, err := os.MkdirTemp("", "notebook-test-")
	if err != nil {
		panic(err)
	}
	host, err := engine.NewHost(engine.Options{Root: testenv.Engines(), Work: work})
	if err != nil {
		panic(err)
	}
	kernelHost = host
	code := m.Run()
	_ = host.Close()
	_ = os.RemoveAll(work)
	os.Exit(code)
}

func needKernel(t *testing.T) {
	t.Helper()
	testenv.NeedEngines(t, kernelHost, "notebook")
}
