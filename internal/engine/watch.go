package engine

import (
	"time"

	"atelier/internal/contract"
)

// How often the watchdog looks: soon at first, since a process that runs away
// does so at once, then seldom enough to cost nothing.
const (
	firstLook = 5 * time.Millisecond
	lastLook  = 40 * time.Millisecond
	diskLook  = 150 * time.Millisecond
)

// watch holds the processes to the limits that the kernel cannot hold them to:
// memory and number of all together, and the size of the job's folder.
func (s *process) watch(dir string) {
	interval, nextDisk := firstLook, time.Now().Add(diskLook)
	timer := time.NewTimer(interval)
	defer timer.Stop()
	for {
		select {
		case <-s.child.done:
			return
		case <-timer.C:
		}
		s.sampleUsage()
		if now := time.Now(); now.After(nextDisk) {
			s.lookAtDisk(dir)
			// A large folder is walked less often.
			nextDisk = time.Now().Add(max(diskLook, 20*time.Since(now)))
		}
		interval = min(2*interval, lastLook)
		timer.Reset(interval)
	}
}

func (s *process) sampleUsage() {
	resident, processes := s.child.usage()
	if resident > s.peak.Load() {
		s.peak.Store(resident)
	}
	switch {
	case processes > s.bounds.processes: // first, since the memory of a fork bomb is that of its processes
		s.stop(contract.Errorf(contract.CodeEngineCrashed, "the engine %s started more than %d processes and was ended", s.name, s.bounds.processes), false)
	case resident > s.bounds.memory:
		s.stop(s.memoryFault(), false)
	}
}

func (s *process) lookAtDisk(dir string) {
	bytes, files := folderSize(dir, s.bounds.files)
	switch {
	case bytes > s.bounds.disk:
		s.stop(contract.Errorf(contract.CodeOutputFlood, "the engine %s filled its folder with more than %d bytes and was ended", s.name, s.bounds.disk), false)
	case files > s.bounds.files:
		s.stop(contract.Errorf(contract.CodeOutputFlood, "the engine %s made more than %d files and was ended", s.name, s.bounds.files), false)
	}
}
