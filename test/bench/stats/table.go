package main

import (
	"bufio"
	"io"
	"math"
	"strconv"
)

// random is Knuth's MMIX generator: the table is the same on every machine.
type random uint64

// unit is between 0 and 1.
func (r *random) unit() float64 {
	*r = *r*6364136223846793005 + 1442695040888963407
	return float64(*r>>11) / (1 << 53)
}

// writeTable writes the CSV of the comparison: six columns, half of the rows of
// a signal_quality of at least 0.95, and a latency_ms made of three features
// and an error whose spread grows with jitter.
func writeTable(out io.Writer, rows int) error {
	w := bufio.NewWriterSize(out, 1<<20)
	r := random(20260314)
	_, _ = w.WriteString("t_ms,signal_quality,snr,jitter,packet_loss,latency_ms\n")
	var line []byte
	for i := range rows {
		quality, snr, jitter, loss := 0.9+0.1*r.unit(), 10+20*r.unit(), 5*r.unit(), r.unit()
		snr, jitter, loss = sixPlaces(snr), sixPlaces(jitter), sixPlaces(loss)
		noise := r.unit() + r.unit() + r.unit() - 1.5
		latency := 2.17 - 0.09*snr + 0.61*jitter + 1.44*loss + 0.2*(1+0.1*jitter)*noise
		line = strconv.AppendInt(line[:0], int64(i), 10)
		for _, x := range []float64{quality, snr, jitter, loss, latency} {
			line = strconv.AppendFloat(append(line, ','), x, 'f', 6, 64)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return w.Flush()
}

func sixPlaces(x float64) float64 { return math.Round(x*1e6) / 1e6 }
