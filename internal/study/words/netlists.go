package words

import (
	"fmt"

	"atelier/internal/quantity"
)

// Netlists that are a file: what is said of their devices, and of how they are computed.

// valuesOf the devices of a netlist that is a file, which the study puts in the place of the
// file's. A source is told by what is computed of it.
func (r *reader) valuesOf(devices []device) map[string]any {
	out := map[string]any{}
	for _, d := range devices {
		name := d.name
		if name == "" {
			name = string(d.kind)
			r.assume("%s is the value of the only device %s of the netlist.", "%s ist der Wert des einzigen Bauteils %s der Netzliste.", d.node.text, name)
		}
		if _, twice := out[name]; twice {
			r.ask("device", r.say("Which device gets %s?", "Welches Bauteil erhält %s?", d.node.text), "C1 = 220 nF")
			continue
		}
		d.node.use()
		v := number(d.value)
		switch {
		case d.kind != 'V':
			out[name] = d.value
		case r.has("c.step", "an.transient", "duration") != nil:
			out[name] = "DC 0 PULSE(0 " + v + " 0 1n 1n 1 2)"
			r.assume("The source steps from 0 to %s V at the beginning.", "Die Quelle springt am Anfang von 0 auf %s V.", v)
		case r.has("c.ac", "sweep") != nil:
			out[name] = "DC 0 AC " + v
		default:
			out[name] = "DC " + v
		}
	}
	return out
}

// perDecade is how many points of a sweep are wanted.
func (r *reader) perDecade(options map[string]any) {
	inner, _ := options["options"].(map[string]any)
	ac, _ := inner["ac"].(map[string]any)
	for i, n := range r.list {
		if !n.is("c.perdecade") || i == 0 || ac == nil {
			continue
		}
		if points := countOf(r.list[i-1]); points > 0 && (r.list[i-1].amount() == nil || len(r.list[i-1].amount().units) == 0) {
			ac["points"] = points
			r.list[i-1].use()
			n.use()
		}
	}
}

// riseTime measures how long the output takes from one share of its last value to another;
// false where nobody asks.
func (r *reader) riseTime(options map[string]any) bool {
	n := r.has("c.risetime")
	inner, _ := options["options"].(map[string]any)
	tran, _ := inner["tran"].(map[string]any)
	if n == nil || tran == nil {
		return false
	}
	n.use()
	low, high := 10.0, 90.0
	var shares []*node
	for i, m := range r.list {
		a := m.amount()
		if a == nil || m.kind != "amount" || m.used {
			continue
		}
		before := len(a.units) == 0 && i+1 < len(r.list) && r.list[i+1].amount() != nil && r.list[i+1].amount().written == "%"
		if a.written == "%" || before {
			shares = append(shares, m)
		}
	}
	if len(shares) == 2 {
		low, _ = shares[0].amount().number.Float64()
		high, _ = shares[1].amount().number.Float64()
		if high < 0 {
			high = -high // 10-90 %
		}
		shares[0].use()
		shares[1].use()
	}
	if low <= 0 || high >= 100 || low >= high {
		r.refuse(r.say("A rise time is measured between two shares of the last value, such as 10 and 90 %.", "Eine Anstiegszeit wird zwischen zwei Anteilen des letzten Wertes gemessen, etwa 10 und 90 %."))
		return true
	}
	end := tran["tstop"].(float64) // of circuitOptions
	step := number(quantity.Significant(end / 1000))
	delete(options, "options")
	delete(options, "analysis")
	delete(options, "probes")
	options["control"] = []any{
		fmt.Sprintf("tran %s %s 0 %s", step, number(end), step),
		"let share = v(out)/v(out)[length(v(out))-1]",
		fmt.Sprintf("meas tran rise trig share val=%s rise=1 targ share val=%s rise=1", number(quantity.Significant(low/100)), number(quantity.Significant(high/100))),
	}
	r.assume("The rise time is that of the node out, from %g to %g %% of its last value.", "Die Anstiegszeit ist die des Knotens out, von %g bis %g %% seines letzten Wertes.", low, high)
	return true
}

// given says whether the netlist is the user's, whose nodes have names of their own.
func (r *reader) given() bool { return r.has("netlist") != nil || r.has("file") != nil }
