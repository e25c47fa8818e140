package plot

import (
	"image"
	"image/png"
	"sync"
)

// Pictures are megabytes of pixels and of the encoder's tables, which further ones
// use again, so that a call with figures leaves little behind.
var (
	canvases canvasPool
	encoders encoderPool
)

type canvasPool struct{ pool sync.Pool }

// get is a picture of a size, with whatever was drawn on it before.
func (p *canvasPool) get(w, h int) *image.RGBA {
	img, ok := p.pool.Get().(*image.RGBA)
	if !ok || cap(img.Pix) < 4*w*h {
		return image.NewRGBA(image.Rect(0, 0, w, h))
	}
	return &image.RGBA{Pix: img.Pix[:4*w*h], Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
}

func (p *canvasPool) put(img *image.RGBA) { p.pool.Put(img) }

// encoderPool implements png.EncoderBufferPool.
type encoderPool struct{ pool sync.Pool }

// Get implements png.EncoderBufferPool.
func (p *encoderPool) Get() *png.EncoderBuffer {
	b, _ := p.pool.Get().(*png.EncoderBuffer)
	return b
}

// Put implements png.EncoderBufferPool.
func (p *encoderPool) Put(b *png.EncoderBuffer) { p.pool.Put(b) }
