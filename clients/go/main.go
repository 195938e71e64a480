// Command go drives a Table service through the official client for Go and says, case by case, whether the
// service does what that client's users rely on. It runs against any server: the address and the key come
// from the environment.
//
// What this client has no way to ask for, and so is no case here: $select on a point read, the answer of one
// table by its name, point operations on an empty partition key, and signatures by the strings of versions
// before 2015-04-05 or of an account from 2020-12-06 on. Its bearer tokens travel over TLS only.
package main

import (
	"fmt"
	"os"
	"slices"
)

// statedCases is the number of cases that is published for this suite. When fewer run, the suite fails.
const statedCases = 371

func main() {
	account, err := accountFromEnvironment()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	passed, failed := run(account, slices.Concat(
		tableCases(),
		typeCases(),
		limitCases(),
		keyCases(),
		writeCases(),
		concurrencyCases(),
		transactionCases(),
		failedTransactionCases(),
		filterCases(),
		projectionCases(),
		pagingCases(),
		tableSignatureCases(),
		rangeSignatureCases(),
		accountSignatureCases(),
		policyCases(),
		serviceCases(),
		secondaryCases(),
	))
	if passed+failed < statedCases {
		fmt.Printf("not ok the suite runs the cases that it states: %d of %d ran\n", passed+failed, statedCases)
		failed++
	}
	fmt.Printf("cases: %d passed, %d failed\n", passed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}
