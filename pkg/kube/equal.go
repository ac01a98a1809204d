// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// isUnset says whether a value is the same as a field that is left out.
func isUnset(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case bool:
		return !value
	case map[string]any:
		for _, inner := range value {
			if !isUnset(inner) {
				return false
			}
		}
		return true
	case []any:
		return len(value) == 0
	}
	amount, ok := number(value)
	return ok && amount == 0
}

// equal compares values that are neither lists nor maps.
func equal(path string, want, have any) bool {
	if isQuantity(path) {
		wantQuantity, wantErr := resource.ParseQuantity(quantityText(want))
		haveQuantity, haveErr := resource.ParseQuantity(quantityText(have))
		if wantErr == nil && haveErr == nil {
			return wantQuantity.Cmp(haveQuantity) == 0
		}
	}
	wantNumber, wantOK := number(want)
	haveNumber, haveOK := number(have)
	if wantOK && haveOK {
		return wantNumber == haveNumber
	}
	switch want := want.(type) {
	case string:
		text, ok := have.(string)
		return ok && want == text
	case bool:
		flag, ok := have.(bool)
		return ok && want == flag
	}
	return false
}

// number returns the numbers that decoders of JSON and YAML make.
func number(value any) (float64, bool) {
	switch value := value.(type) {
	case int:
		return float64(value), true
	case int32:
		return float64(value), true
	case int64:
		return float64(value), true
	case float64:
		return value, true
	}
	return 0, false
}

// isQuantity says whether the field is an amount of CPU or memory, which the server writes in another form than it reads.
func isQuantity(path string) bool {
	return strings.Contains("."+path, ".resources.")
}

func quantityText(value any) string {
	if amount, ok := number(value); ok {
		return strconv.FormatFloat(amount, 'f', -1, 64)
	}
	text, _ := value.(string)
	return text
}

func show(value any) string {
	if value == nil {
		return "not set"
	}
	if text, ok := value.(string); ok {
		return text
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}
