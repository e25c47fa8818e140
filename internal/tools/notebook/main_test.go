package notebook_test

import (
	"os"
	"path/filepath"
	"testing"

	"atelier/internal/engine"
)

// kernelHost runs notebooks where the engine is installed.
var kernelHost engine.Host

func TestMain(m *testing.M) {
	engine.SandboxMain()
	root := os.Getenv("ATELIER_ENGINES")
	if root == "" {
		root = filepath.Join("..", "..", "..", ".engines")
	}
	work, err := os.MkdirTemp("", "notebook-test-")
	if err != nil {
		panic(err)
	}
	host, err := engine.NewHost(engine.Options{Root: root, Work: work})
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
	if err := kernelHost.Check("notebook"); err != nil {
		t.Skip("the notebook engine is not installed: run `make engines`")
	}
}
