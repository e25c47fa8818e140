package solve

import (
	"encoding/json"
	"fmt"

	"atelier/internal/quantity"
)

// Contact is a pair of places whose faces may touch.
type Contact struct {
	Sides    []ContactSide        `json:"sides"` // two
	Friction *float64             `json:"friction,omitempty"`
	Adjust   *quantity.FileLength `json:"adjust,omitempty"`
}

// ContactSide is the place of one side.
type ContactSide struct {
	Attribute Ints    `json:"attribute,omitempty"`
	Attr      Ints    `json:"attr,omitempty"`
	Face      Strings `json:"face,omitempty"`
	Where     *Where  `json:"where,omitempty"`
}

// ContactFound is what passes through a contact.
type ContactFound struct {
	Contact      int          `json:"contact"`
	Places       []string     `json:"places"`
	Slave        int          `json:"slave"`
	State        string       `json:"state"` // open or closed
	Force        Point        `json:"force"` // on the first side
	NormalForce  Figure       `json:"normal_force"`
	ShearForce   Figure       `json:"shear_force"`
	Area         Figure       `json:"area"`
	Faces        int          `json:"faces"`
	Pressure     *Pressed     `json:"pressure,omitempty"`
	Penetration  *Penetration `json:"penetration,omitempty"`
	SlidingShare *Figure      `json:"sliding_share,omitempty"`
}

// Pressed is the largest pressure of a contact with its place (m).
type Pressed struct {
	Max Figure `json:"max"`
	At  Point  `json:"at"`
}

// Penetration is how far a contact's bodies enter each other.
type Penetration struct {
	Max   Figure `json:"max"`
	Share Figure `json:"share"` // of the approach under its pressure
}

// checkSides refuses places that are named twice.
func checkSides(config json.RawMessage) error {
	var given struct {
		Contacts []struct {
			Sides []map[string]json.RawMessage `json:"sides"`
		} `json:"contacts"`
	}
	if err := json.Unmarshal(config, &given); err != nil {
		return fmt.Errorf("contacts: %w", err)
	}
	for i, c := range given.Contacts {
		for k, side := range c.Sides {
			if err := refuseTwice(fmt.Sprintf("/config/contacts/%d/sides/%d", i, k), side, samePlaces); err != nil {
				return err
			}
		}
	}
	return nil
}
