package outside

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// findProgram is the one executable file called program, with any extension.
func findProgram(folder string) (string, error) {
	names, err := filepath.Glob(filepath.Join(folder, "program*"))
	if err != nil {
		return "", err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		base := filepath.Base(name)
		info, err := os.Stat(name)
		return err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 || strings.TrimSuffix(base, filepath.Ext(base)) != "program"
	})
	if len(names) != 1 {
		return "", fmt.Errorf("there are %d executable files called program or program.<extension>; exactly one is needed (chmod +x, and a #! line in a script)", len(names))
	}
	return names[0], startable(names[0])
}

// startable refuses a program that the system could not start: a script names its
// interpreter in its first line, anything else is of the system's own format.
func startable(program string) error {
	f, err := os.Open(program)
	if err != nil {
		return err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 256))
	if err != nil {
		return err
	}
	name := filepath.Base(program)
	for _, own := range []string{"\x7fELF", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe"} { // Linux, macOS
		if bytes.HasPrefix(head, []byte(own)) {
			return nil
		}
	}
	line, script := strings.CutPrefix(string(head), "#!")
	line, _, _ = strings.Cut(line, "\n")
	words := strings.Fields(line)
	switch {
	case !script || len(words) == 0:
		return fmt.Errorf("%s is no program of this system and has no #! line: write #!/usr/bin/env python3, say, as its first line", name)
	case strings.HasSuffix(line, "\r"):
		return fmt.Errorf("the first line of %s ends with a carriage return, which would be part of the interpreter's name: save it with the line ends of Unix", name)
	}
	if info, err := os.Stat(words[0]); err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return fmt.Errorf("the first line of %s names the interpreter %s, which is no program here: install it, or name another (#!/usr/bin/env python3)", name, words[0])
	}
	return nil
}
