// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package stubengine

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"github.com/spf13/pflag"
)

// formatFlag is docker's --format, with its short form where it has one.
func formatFlag(flags *pflag.FlagSet, shorthand string) *string {
	return flags.StringP("format", shorthand, "", "a Go template")
}

// print writes a value through a template, or as JSON without one. As docker does it, a template sees the value as Go has it, and if
// that does not work, as JSON has it.
func (d *docker) print(format string, value any) error {
	if format == "" {
		data, err := json.MarshalIndent([]any{value}, "", "    ")
		d.printf("%s\n", data)
		return err
	}
	parsed, err := template.New("").Funcs(template.FuncMap{
		"json":  func(v any) (string, error) { data, err := json.Marshal(v); return string(data), err },
		"join":  strings.Join,
		"lower": strings.ToLower,
	}).Parse(format)
	if err != nil {
		return fmt.Errorf("template %s: %w", format, err)
	}
	var text strings.Builder
	if err := parsed.Execute(&text, value); err != nil {
		data, err := json.Marshal(value)
		if err != nil {
			return err
		}
		var raw any
		if err := json.Unmarshal(data, &raw); err != nil {
			return err
		}
		text.Reset()
		if err := parsed.Execute(&text, raw); err != nil {
			return fmt.Errorf("template %s: %w", format, err)
		}
	}
	d.printf("%s\n", text.String())
	return nil
}
