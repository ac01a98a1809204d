// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package route

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
)

// jsonRoute is a route as `ip -j route` prints it. Fields that have no part in choosing a route are left out.
type jsonRoute struct {
	Type        string    `json:"type"`
	Destination *string   `json:"dst"`
	From        scalar    `json:"from"`
	TOS         scalar    `json:"tos"`
	Scope       scalar    `json:"scope"`
	Source      string    `json:"prefsrc"`
	Metric      scalar    `json:"metric"`
	Table       scalar    `json:"table"`
	Preference  string    `json:"pref"`
	NextHops    []jsonHop `json:"nexthops"`
	jsonHop
}

// jsonHop is a next hop; a route with only one has its fields itself.
type jsonHop struct {
	Gateway string `json:"gateway"`
	Via     *struct {
		Family string `json:"family"`
		Host   string `json:"host"`
	} `json:"via"`
	Device string   `json:"dev"`
	Weight scalar   `json:"weight"`
	Flags  []string `json:"flags"`
}

// scalar is a string or a number: versions of `ip` differ.
type scalar string

// UnmarshalJSON implements json.Unmarshaler.
func (s *scalar) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	if data[0] != '"' {
		if strings.IndexByte("[{", data[0]) >= 0 {
			return fmt.Errorf("%s is neither a number nor a string", quote(string(data)))
		}
		*s = scalar(data)
		return nil
	}
	return json.Unmarshal(data, (*string)(s))
}

// jsonReader reads arrays of routes and knows in which line it is.
type jsonReader struct {
	data    []byte
	decoder *json.Decoder
	// line of offset.
	line, offset int
}

// readJSON reads what `ip -j route` prints; several outputs may follow one another.
func (l *entryList) readJSON(data []byte) error {
	r := &jsonReader{data: data, decoder: json.NewDecoder(bytes.NewReader(data)), line: 1}
	for {
		token, err := r.decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && token != json.Delim('[') {
			return r.errorAt(int(r.decoder.InputOffset()), "an array of routes has to begin here")
		}
		for err == nil && r.decoder.More() {
			var raw json.RawMessage
			before := int(r.decoder.InputOffset())
			if err = r.decoder.Decode(&raw); err != nil {
				return r.broken(before, err)
			}
			if err := l.readObject(r, raw); err != nil {
				return err
			}
		}
		if err == nil {
			_, err = r.decoder.Token()
		}
		if err != nil {
			return r.broken(int(r.decoder.InputOffset()), err)
		}
	}
}

// broken turns an error of the decoder, which was at an offset then, into one with the line. The offsets in errors of
// json.Decoder leave out what lies between values, so that the place is found once more.
func (r *jsonReader) broken(offset int, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return r.errorAt(len(bytes.TrimRight(r.data, " \t\r\n")), "the JSON ends in the middle")
	}
	rest := bytes.TrimLeft(r.data[offset:], ", \t\r\n")
	offset = len(r.data) - len(rest)
	var raw json.RawMessage
	syntax, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(rest, &raw))
	if ok && syntax.Error() == err.Error() {
		offset += int(syntax.Offset)
	} else {
		offset = min(offset+1, len(r.data))
	}
	return r.errorAt(offset, "broken JSON: "+err.Error())
}

// errorAt quotes what is around an offset.
func (r *jsonReader) errorAt(offset int, reason string) error {
	from, to := max(offset-maxQuote/2, 0), min(offset+maxQuote/2, len(r.data))
	text := string(r.data[from:to])
	if before := strings.LastIndexByte(text[:offset-from], '\n'); before >= 0 {
		text = text[before+1:]
	}
	text, _, _ = strings.Cut(text, "\n")
	return &ParseError{Line: r.lineAt(max(offset-1, 0)), Text: text, Reason: reason}
}

// lineAt returns the line of an offset; offsets must not decrease.
func (r *jsonReader) lineAt(offset int) int {
	if offset > r.offset {
		r.line += bytes.Count(r.data[r.offset:offset], []byte{'\n'})
		r.offset = offset
	}
	return r.line
}

// readObject reads one route.
func (l *entryList) readObject(r *jsonReader, raw json.RawMessage) error {
	line := r.lineAt(int(r.decoder.InputOffset()) - len(raw))
	if len(raw) > l.limits.line {
		return &LimitError{What: "size of a route", Limit: l.limits.line, Unit: "bytes", Line: line}
	}
	e := &entry{line: line, text: string(raw)}
	var route jsonRoute
	if err := json.Unmarshal(raw, &route); err != nil {
		if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return e.errorf("not the JSON of a route: the field %s has a value of another kind than `ip` gives it", quote(kind.Field[strings.LastIndexByte(kind.Field, '.')+1:]))
		}
		return e.errorf("not the JSON of a route: %v", err)
	}
	if route.Destination == nil {
		// Some versions of `ip` leave an empty object where a filter left a route out.
		if strings.Trim(string(raw), "{} \t\r\n") == "" {
			return nil
		}
		return e.errorf("it has no dst")
	}
	for range 1 + len(route.NextHops) {
		if err := l.grow(line); err != nil {
			return err
		}
	}
	l.entries = append(l.entries, e)
	return e.fill(&route)
}

// fill takes over all fields; nothing is done for one that is empty.
func (e *entry) fill(r *jsonRoute) error {
	if r.From != "" {
		return e.errorf("routes that depend on the source of a packet (from) are not supported; leave it out if it does not matter")
	}
	if err := e.setDestination(*r.Destination); err != nil {
		return err
	}
	fields := []struct {
		value string
		set   func(string) error
	}{
		{r.Type, e.setType},
		{r.Source, e.setSource},
		{string(r.Metric), e.setMetric},
		{string(r.Table), e.setTable},
		{string(r.TOS), e.setTOS},
		{string(r.Scope), func(scope string) error { e.setScope(scope); return nil }},
		{r.Preference, func(preference string) error { e.setPreference(preference); return nil }},
	}
	for _, field := range fields {
		if field.value == "" {
			continue
		}
		if err := field.set(field.value); err != nil {
			return err
		}
	}
	if err := e.fillHop(&r.jsonHop, &e.route.Gateway, &e.route.Device); err != nil {
		return err
	}
	for i := range r.NextHops {
		e.route.NextHops = append(e.route.NextHops, NextHop{})
		hop := &e.route.NextHops[i]
		if err := e.fillHop(&r.NextHops[i], &hop.Gateway, &hop.Device); err != nil {
			return err
		}
		if text := string(r.NextHops[i].Weight); text != "" {
			weight, err := e.number("weight", text, 16)
			if err != nil {
				return err
			}
			hop.Weight = uint16(weight) //nolint:gosec // it was parsed with that size
		}
	}
	return nil
}

func (e *entry) fillHop(hop *jsonHop, gateway *netip.Addr, device *string) error {
	for _, flag := range hop.Flags {
		e.setFlag(flag)
	}
	if hop.Device != "" {
		if err := e.setDevice(device, hop.Device); err != nil {
			return err
		}
	}
	switch {
	case hop.Via != nil:
		return e.setGateway(gateway, hop.Via.Family, hop.Via.Host)
	case hop.Gateway != "":
		return e.setGateway(gateway, "", hop.Gateway)
	default:
		return nil
	}
}
