// Command atelier is the server, its workers, and the tools from the command
// line. This package parses flags and connects the parts; it decides nothing.
package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/alecthomas/kong"

	"atelier/internal/engine"
	"atelier/internal/protocol/admin"
)

var version = "dev" // set by the linker

type cli struct {
	Config kong.ConfigFlag `help:"JSON file with any of the flags." env:"ATELIER_CONFIG"`

	Serve     serveCmd     `cmd:"" help:"Serve all tools over HTTP."`
	Worker    workerCmd    `cmd:"" help:"Run queued jobs of a Postgres database."`
	Run       runCmd       `cmd:"" help:"Plan and run a task that is described in words, and report its progress."`
	Call      callCmd      `cmd:"" help:"Run one tool here and print its ToolResult."`
	Rerun     rerunCmd     `cmd:"" help:"Repeat the run of a bundle of study_report and compare the figures."`
	MCP       mcpCmd       `cmd:"" name:"mcp" help:"Serve the tools to one MCP client on standard input and output."`
	Tools     toolsCmd     `cmd:"" help:"List the tools, or show one."`
	Harmony   harmonyCmd   `cmd:"" help:"Print the tools as the Harmony prompt of gpt-oss models."`
	Docs      docsCmd      `cmd:"" help:"Write the pages of docs/tools from the contracts."`
	Doctor    doctorCmd    `cmd:"" help:"Report which engines and which sandbox this machine has."`
	Contracts contractsCmd `cmd:"" help:"Check the contracts."`
	New       newCmd       `cmd:"" help:"Begin something new: a tool."`
	Version   versionCmd   `cmd:"" help:"Print the version and what the program was built from."`
}

func main() {
	engine.SandboxMain()
	var c cli
	os.Args = presentNames(os.Args, os.Stderr)
	ctx := kong.Parse(&c, kong.Name("atelier"), kong.ShortUsageOnError(), kong.Configuration(configuration(os.Stderr)),
		kong.Description("A workshop of real engineering tools for any agent."), kong.Vars(variables()))
	if err := checkFlags(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "atelier:", err)
		os.Exit(2)
	}
	if err := ctx.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "atelier:", err)
		if left := (leftOpen{}); errors.As(err, &left) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// logTail keeps the last lines of the log for the admin page.
var logTail admin.Tail

func logger(level string) *slog.Logger {
	var l slog.Level
	_ = l.UnmarshalText([]byte(level)) // the flag's enum allows only known levels
	return slog.New(slog.NewTextHandler(io.MultiWriter(os.Stderr, &logTail), &slog.HandlerOptions{Level: l}))
}
