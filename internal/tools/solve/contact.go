package solve

import "atelier/internal/quantity"

// Contact is a pair of places whose faces may touch.
type Contact struct {
	Sides    []Place              `json:"sides"` // two
	Friction *float64             `json:"friction,omitempty"`
	Adjust   *quantity.FileLength `json:"adjust,omitempty"`
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
	Pressure     *Peak        `json:"pressure,omitempty"`
	Penetration  *Penetration `json:"penetration,omitempty"`
	SlidingShare *Figure      `json:"sliding_share,omitempty"`
}

// Penetration is how far a contact's bodies enter each other.
type Penetration struct {
	Max   Figure `json:"max"`
	Share Figure `json:"share"` // of the approach under its pressure
}
