package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/chromedp/chromedp"
)

var errNoBrowser = errors.New("the workbench's picture is left out: it needs Chromium (apt-get install chromium); make serve, then open http://127.0.0.1:8080")

// workbench takes a picture of the page that shows the session, by Chromium
// where the machine has it. The page draws by WebGL, in software where there is
// no graphics card.
func (c *client) workbench() error {
	browser := findBrowser()
	if browser == "" {
		return errNoBrowser
	}
	fmt.Println("  the workbench …")
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.WindowSize(1440, 900),
		chromedp.Flag("disable-gpu", false), chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium's own sandbox refuses to run for root
	}
	ctx, cancel := context.WithTimeout(c.ctx, 2*time.Minute)
	defer cancel()
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	picture, err := photograph(ctx, c.url+"/#/s/"+c.session)
	if err != nil {
		return fmt.Errorf("%s made no picture of the workbench: %w", browser, err)
	}
	path := filepath.Join(c.out, "workbench.png")
	c.pictures = append(c.pictures, path)
	return os.WriteFile(path, picture, 0o644)
}

func photograph(ctx context.Context, page string) ([]byte, error) {
	if _, err := chromedp.Run(ctx, chromedp.Navigate(page)); err != nil {
		return nil, err
	}
	if _, err := chromedp.Run(ctx, chromedp.WaitVisible(".colourbar")); err != nil { // the field is read and drawn
		return nil, err
	}
	time.Sleep(time.Second) // one more frame, with the view in place
	return chromedp.Run(ctx, chromedp.CaptureScreenshot())
}

func findBrowser() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
