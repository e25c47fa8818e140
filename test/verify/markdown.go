package main

func (t *table) markdown() string { return "" }
