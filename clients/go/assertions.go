package main

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
)

// must gives the answer of a call that has to succeed.
func must[T any](answer T, err error) T {
	succeeds(err)
	return answer
}

func succeeds(err error) {
	if err != nil {
		panic(fmt.Sprintf("expected success, got %s", described(err)))
	}
}

// holds fails the case with the given words when what they say is not so.
func holds(isSo bool, format string, values ...any) {
	if !isSo {
		panic(fmt.Sprintf(format, values...))
	}
}

func equal[T any](what string, actual, expected T) {
	if !reflect.DeepEqual(actual, expected) {
		panic(fmt.Sprintf("%s: expected %#v, got %#v", what, expected, actual))
	}
}

// refused fails unless the client reports a refusal as its own error, with this status and one of these codes.
func refused(err error, status int, codes ...string) {
	var response *azcore.ResponseError
	if !errors.As(err, &response) || response.StatusCode != status || !slices.Contains(codes, response.ErrorCode) {
		panic(fmt.Sprintf("expected %d %s, got %s", status, strings.Join(codes, " or "), described(err)))
	}
}

// forbidden fails unless the refusal is one of access, whatever its code.
func forbidden(err error) {
	var response *azcore.ResponseError
	if !errors.As(err, &response) || response.StatusCode != http.StatusForbidden {
		panic(fmt.Sprintf("expected %d, got %s", http.StatusForbidden, described(err)))
	}
}

// The client reports a failed transaction as an error with the outer status, 202, and no code: what has
// failed stands in the body of the answer.
var failedPart = regexp.MustCompile(`HTTP/1\.1 (\d+) [^{]*\{"odata\.error":\{"code":"(\w+)",.*?"value":"(\d+):`)

// refusedAt fails unless the transaction was refused for the operation of this index.
func refusedAt(err error, index, status int, codes ...string) {
	var response *azcore.ResponseError
	if errors.As(err, &response) && response.StatusCode == http.StatusAccepted {
		body := must(runtime.Payload(response.RawResponse))
		part := failedPart.FindStringSubmatch(string(body))
		if part != nil && part[1] == strconv.Itoa(status) && part[3] == strconv.Itoa(index) &&
			slices.Contains(codes, part[2]) {
			return
		}
	}
	panic(fmt.Sprintf("expected %d %s at operation %d, got %s",
		status, strings.Join(codes, " or "), index, described(err)))
}

// described puts status and code before the client's own words, which begin with an address.
func described(err error) string {
	var response *azcore.ResponseError
	switch {
	case err == nil:
		return "success"
	case errors.As(err, &response):
		return fmt.Sprintf("%d %s\n%v", response.StatusCode, response.ErrorCode, err)
	default:
		return err.Error()
	}
}
