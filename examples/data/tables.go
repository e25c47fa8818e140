package main

import (
	"fmt"
	"math"
	"strings"
)

// latency is a capture of three channels in two modes, unequally many rows of
// each: latency = 18 + 0.8 (channel) - 0.09 snr + 0.61 jitter + 1.44 packet_loss.
func latency() string {
	var b strings.Builder
	b.WriteString("t,channel,mode,snr,jitter,packet_loss,signal_quality,latency_ms\n")
	var n noise = 20261122
	for i := range 240 {
		channel, mode := i%3, "burst"
		if (i/3)%5 < 2 {
			mode = "steady"
		}
		snr, jitter, loss := 15+10*n.next(), 1+2*n.next(), n.next()
		ms := 18 + 0.8*float64(channel) - 0.09*snr + 0.61*jitter + 1.44*loss + 0.3*n.normal()
		fmt.Fprintf(&b, "%d,ch%d,%s,%.3f,%.3f,%.3f,%.3f,%.3f\n", 20*i, channel+1, mode, snr, jitter, loss, 0.9+0.1*n.next(), ms)
	}
	return b.String()
}

// scores are eight persons at three times, who gain about two points each time.
func scores() string {
	var b strings.Builder
	b.WriteString("person,time,score\n")
	var n noise = 7
	for person := range 8 {
		level := 50 + 5*n.normal()
		for time, name := range []string{"before", "after", "later"} {
			fmt.Fprintf(&b, "p%d,%s,%.2f\n", person+1, name, level+2*float64(time)+n.normal())
		}
	}
	return b.String()
}

// run is y = 2 + 1.5 x - 0.4 x^2 + 0.8 a b with noise of 0.2; c has no part in it.
func run() string {
	var b strings.Builder
	b.WriteString("x,a,b,c,y\n")
	var n noise = 99
	for i := range 120 {
		x, p, q, c := -3+6*float64(i)/119, n.normal(), n.normal(), n.normal()
		fmt.Fprintf(&b, "%.4f,%.4f,%.4f,%.4f,%.4f\n", x, p, q, c, 2+1.5*x-0.4*x*x+0.8*p*q+0.2*n.normal())
	}
	return b.String()
}

// parts fail the more often the hotter they were, those of supplier B more.
func parts() string {
	var b strings.Builder
	b.WriteString("temperature,supplier,failed\n")
	var n noise = 4711
	for i := range 150 {
		supplier := "ABC"[i%3 : i%3+1]
		temperature := 40 + 50*n.next()
		logit := 0.09*(temperature-65) - 0.3
		if supplier == "B" {
			logit += 0.9
		}
		failed := 0
		if n.next() < 1/(1+math.Exp(-logit)) {
			failed = 1
		}
		fmt.Fprintf(&b, "%.1f,%s,%d\n", temperature, supplier, failed)
	}
	return b.String()
}

// lesson is a notebook whose second cell holds its parameters.
func lesson() string {
	cell := func(id, kind, tags string, lines ...string) string {
		quoted := make([]string, len(lines))
		for i, line := range lines {
			if i < len(lines)-1 {
				line += "\n"
			}
			quoted[i] = fmt.Sprintf("%q", line)
		}
		rest := ""
		if kind == "code" {
			rest = `"execution_count": null, "outputs": [], `
		}
		return fmt.Sprintf(`  {"cell_type": %q, "id": %q, "metadata": {%s}, %s"source": [%s]}`, kind, id, tags, rest, strings.Join(quoted, ", "))
	}
	cells := []string{
		cell("title", "markdown", "", "# The mean of a sample", "", "How far the mean of a sample lies from the mean of what it was drawn from."),
		cell("parameters", "code", `"tags": ["parameters"]`, "samples = 10"),
		cell("draw", "code", "", "import random", "from statistics import mean", "", "random.seed(1)", "values = [random.gauss(10, 2) for _ in range(samples)]", `print(len(values), "values with the mean", round(mean(values), 3))`),
		cell("check", "code", "", "assert abs(mean(values) - 10) < 5 * 2 / samples**0.5"),
	}
	return "{\n \"cells\": [\n" + strings.Join(cells, ",\n") + "\n ],\n" +
		` "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}},` +
		"\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n"
}
