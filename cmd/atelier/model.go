package main

import "atelier/model"

// modelFlags name the language model that chooses tools by itself; without one,
// callers force the tools that they want.
type modelFlags struct {
	ModelURL string `help:"Base URL of an OpenAI-compatible endpoint, e.g. http://127.0.0.1:8000/v1." env:"ATELIER_MODEL_URL"`
	Model    string `help:"Name of the model at that endpoint." env:"ATELIER_MODEL"`
	ModelKey string `help:"Bearer key of the endpoint." env:"ATELIER_MODEL_KEY"`
}

// client is nil where no URL is given.
func (f modelFlags) client() (*model.Client, error) {
	if f.ModelURL == "" {
		return nil, nil
	}
	return model.New(model.Options{URL: f.ModelURL, Model: f.Model, Key: f.ModelKey})
}
