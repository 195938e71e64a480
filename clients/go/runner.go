package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

// A behaviour is one case: a sentence about the service, and the code that shows whether it holds. The code
// fails by panicking, which all assertions do.
type behaviour struct {
	name  string
	shown func(a *account)
}

// run tries the behaviours in order, reports each on standard output as it ends, and counts them.
func run(a *account, behaviours []behaviour) (passed, failed int) {
	for _, b := range behaviours {
		reason := try(a, b)
		if reason == "" {
			passed++
			fmt.Println("ok", b.name)
			continue
		}
		failed++
		first, _, _ := strings.Cut(reason, "\n")
		fmt.Printf("not ok %s: %s\n", b.name, first)
		fmt.Fprintf(os.Stderr, "%s\n%s\n", b.name, reason)
	}
	return passed, failed
}

// try answers why the behaviour does not hold, or nothing when it does.
func try(a *account, b behaviour) (reason string) {
	defer a.dropTables()
	defer func() {
		if cause := recover(); cause != nil {
			reason = fmt.Sprintf("%v\n%s", cause, debug.Stack())
		}
	}()
	b.shown(a)
	return ""
}
