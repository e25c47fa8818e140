package engine

import (
	"fmt"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"atelier/internal/contract"
)

// fault is why the job has no result; nil when it has one.
func (s *process) fault(protocol bool) *contract.Error {
	s.mu.Lock()
	verdict := s.verdict
	s.mu.Unlock()
	if verdict != nil {
		return verdict
	}
	status := s.child.status
	if !protocol {
		if status.signal != 0 {
			return s.crash()
		}
		return nil
	}
	s.conversation.mu.Lock()
	defer s.conversation.mu.Unlock()
	final := s.conversation.final
	switch {
	case s.conversation.tooLong:
		return contract.Errorf(contract.CodeOutputFlood, "the engine %s wrote an answer of more than %d bytes", s.name, maxResultLine)
	case s.conversation.answers > 1:
		return contract.Errorf(contract.CodeEngineCrashed, "the engine %s answered %d times; a job has one answer", s.name, s.conversation.answers)
	case final != nil && final.Type == "error":
		return final.failure()
	case final != nil:
		return nil
	}
	return s.crash()
}

// crash describes a process that ended without an answer.
func (s *process) crash() *contract.Error {
	status := s.child.status
	switch {
	case status.signal == syscall.SIGXFSZ:
		return contract.Errorf(contract.CodeOutputFlood, "the engine %s wrote a file of more than %d bytes and was ended", s.name, s.bounds.file)
	case status.signal == syscall.SIGXCPU:
		return contract.Errorf(contract.CodeTimeout, "the engine %s used more than %.0f s of processor time", s.name, s.bounds.cpu.Seconds())
	case s.outOfMemory():
		return s.memoryFault()
	}
	if why := s.conversation.misread; why != "" {
		code := contract.CodeEngineCrashed
		if status.code == 0 { // it ended well and believes that it has answered
			code = contract.CodeInvalidToolOutput
		}
		return contract.Errorf(code, "the engine %s ended without an answer: %s; %s", s.name, s.ending(), why).With("exit_code", status.code)
	}
	return contract.Errorf(contract.CodeEngineCrashed, "the engine %s ended without an answer: %s%s", s.name, s.ending(), s.wrote()).
		With("exit_code", status.code)
}

// wrote says what a program that ended well has written in the place of an answer.
func (s *process) wrote() string {
	lines := s.conversation.lines
	switch {
	case s.child.status.code != 0:
		return ""
	case lines == 0:
		return "; it wrote nothing on its standard output"
	case lines == 1:
		return "; the one line that it wrote on its standard output is no JSON object"
	}
	return fmt.Sprintf("; none of the %d lines that it wrote on its standard output is a JSON object of the type result or error", lines)
}

func (s *process) ending() string {
	if sig := s.child.status.signal; sig != 0 {
		return fmt.Sprintf("signal %s (%s)", unix.SignalName(sig), sig)
	}
	return fmt.Sprintf("exit status %d", s.child.status.code)
}

func (s *process) memoryFault() *contract.Error {
	return contract.Errorf(contract.CodeMemoryExceeded, "the engine %s needed more than %d MB of memory and was ended", s.name, s.bounds.memory/mib).
		WithHint("Make the problem smaller: a coarser mesh, a lower order, fewer points.").
		With("memory_mb", s.bounds.memory/mib)
}

// outOfMemory tells a failed allocation from another crash by what the run time
// libraries say then.
func (s *process) outOfMemory() bool {
	text := s.err.String()
	for _, sign := range []string{"std::bad_alloc", "MemoryError", "memory allocation of", "failed to allocate", "Cannot allocate memory", "out of memory"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return s.peak.Load() > s.bounds.memory/10*9
}
