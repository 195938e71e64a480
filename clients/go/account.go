package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// Requests are bounded by the transport's time limit, so that one context serves all.
var background = context.Background()

var transport = &http.Client{Timeout: 30 * time.Second}

// account is what the cases work on: one account of the service, opened with its key.
type account struct {
	// Without a slash at the end, as is the secondary's.
	endpoint          string
	secondaryEndpoint string
	connectionString  string
	credential        *aztables.SharedKeyCredential
	service           *aztables.ServiceClient
	// Names of the tables that the running case has made.
	tables []string
}

func accountFromEnvironment() (*account, error) {
	a := &account{
		endpoint:          strings.TrimSuffix(os.Getenv("TABULARIUM_TABLE_ENDPOINT"), "/"),
		secondaryEndpoint: strings.TrimSuffix(os.Getenv("TABULARIUM_TABLE_SECONDARY_ENDPOINT"), "/"),
		connectionString:  os.Getenv("TABULARIUM_CONNECTION_STRING"),
	}
	name, key := os.Getenv("TABULARIUM_ACCOUNT_NAME"), os.Getenv("TABULARIUM_ACCOUNT_KEY")
	if a.endpoint == "" || a.secondaryEndpoint == "" || a.connectionString == "" || name == "" || key == "" {
		return nil, errors.New("the address and the key of an account must stand in TABULARIUM_CONNECTION_STRING, " +
			"TABULARIUM_TABLE_ENDPOINT, TABULARIUM_TABLE_SECONDARY_ENDPOINT, TABULARIUM_ACCOUNT_NAME " +
			"and TABULARIUM_ACCOUNT_KEY")
	}
	var err error
	if a.credential, err = aztables.NewSharedKeyCredential(name, key); err != nil {
		return nil, err
	}
	a.service, err = aztables.NewServiceClientWithSharedKey(a.endpoint, a.credential, clientOptions())
	return a, err
}

// clientOptions are the options of every client: nothing is tried again, failures are what we look for.
func clientOptions() *aztables.ClientOptions {
	return &aztables.ClientOptions{ClientOptions: policy.ClientOptions{
		Retry:     policy.RetryOptions{MaxRetries: -1},
		Transport: transport,
	}}
}

// freshName is a table name that nobody has used. The table is dropped when the case ends.
func (a *account) freshName() string {
	var random [8]byte
	if _, err := rand.Read(random[:]); err != nil {
		panic(err)
	}
	name := "Go" + hex.EncodeToString(random[:])
	a.tables = append(a.tables, name)
	return name
}

// table creates a table and opens it with the account's key.
func (a *account) table() *aztables.Client {
	name, client := a.namedTable()
	must(a.service.CreateTable(background, name, nil))
	return client
}

// namedTable is a client of a table that does not exist yet, and the table's name.
func (a *account) namedTable() (string, *aztables.Client) {
	name := a.freshName()
	return name, a.service.NewClient(name)
}

func (a *account) dropTables() {
	for _, name := range a.tables {
		// A case may have dropped its table itself, or never made it.
		_, _ = a.service.DeleteTable(background, name, nil)
	}
	a.tables = nil
}
