package contract

import "strings"

// Availability tells whether this machine can run a tool, and if not why, and
// the command that installs what is missing.
type Availability struct {
	Available bool   `json:"available"`
	Reason    string `json:"reason,omitempty"`
	Install   string `json:"install,omitempty"`
}

// Availability of the tool on this machine at this moment.
func (t *Tool) Availability() Availability {
	if t.Available == nil {
		return Availability{Available: true}
	}
	err := t.Available()
	if err == nil {
		return Availability{Available: true}
	}
	e := AsError(err)
	return Availability{Reason: e.Message, Install: e.Hint}
}

// String is one line for people: available, or why not and what to do.
func (a Availability) String() string {
	if a.Available {
		return "available"
	}
	return strings.TrimSpace("unavailable: " + strings.TrimRight(a.Reason, ".") + ". " + a.Install)
}

// AvailabilityOf tells the availability of tools by the name that a list shows
// of them.
func AvailabilityOf(tools []*Tool, shown func(*Contract) string) map[string]Availability {
	all := make(map[string]Availability, len(tools))
	for _, t := range tools {
		all[shown(t.Contract)] = t.Availability()
	}
	return all
}

// WholeContract is a tool's contract with what holds of it on this machine.
type WholeContract struct {
	*Contract
	Availability
	// General are the errors that any tool may answer with, beside those that its own
	// contract lists: a file that is not there, a limit that was passed, a fault of ours.
	General []ErrorSpec `json:"general_errors"`
}

// Whole is the contract of a tool as it is shown by itself.
func Whole(t *Tool) WholeContract {
	return WholeContract{t.Contract, t.Availability(), t.Contract.GeneralErrors()}
}
