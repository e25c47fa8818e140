package main

import "fmt"

type doctorCmd struct{}

func (doctorCmd) Run() error { fmt.Println("x"); return nil }
