// SPDX-FileCopyrightText: SAP SE or an SAP affiliate company and Gardener contributors
//
// SPDX-License-Identifier: Apache-2.0

package addressmap

import (
	"fmt"
	"strconv"
	"strings"
)

// Table is one kind of thing for people.
type Table struct {
	Headings []string
	Rows     [][]string
}

// Tables returns nodes, pools, machines, shoots and drift. Those without rows are left out.
func (m *Map) Tables() []Table {
	var tables []Table
	for _, table := range []Table{
		{[]string{"NODE", "ADDRESSES", "POD CIDRS"}, m.nodeRows()},
		{[]string{"POOL", "CIDR", "NODE", "BLOCKS", "USED", "FREE"}, m.poolRows()},
		{[]string{"MACHINE", "ADDRESSES", "POOL", "NODE"}, m.machineRows()},
		{[]string{"SHOOT", "NODES", "TECHNICAL ID"}, m.shootRows()},
		{[]string{"DRIFT", "FOUND"}, m.driftRows()},
	} {
		if len(table.Rows) > 0 {
			tables = append(tables, table)
		}
	}
	return tables
}

func (m *Map) nodeRows() (rows [][]string) {
	for _, node := range m.Nodes {
		rows = append(rows, []string{node.Name, join(node.Addresses), join(node.PodCIDRs)})
	}
	return rows
}

// poolRows has a row for each pool, with the sums, and one for each node below it.
func (m *Map) poolRows() (rows [][]string) {
	numbers := func(usage Usage) []string {
		return []string{strconv.Itoa(usage.Blocks), strconv.Itoa(usage.Used), strconv.Itoa(usage.Free)}
	}
	for _, pool := range m.Pools {
		name := pool.Name
		if name == "" {
			name = "(none)"
		}
		if pool.Disabled {
			name += " (disabled)"
		}
		rows = append(rows, append([]string{name, pool.CIDR.String(), "all"}, numbers(pool.Sum())...))
		for _, usage := range pool.Nodes {
			node := usage.Node
			if node == "" {
				node = "(no node)"
			}
			rows = append(rows, append([]string{"", "", node}, numbers(usage)...))
		}
	}
	return rows
}

// Sum is the usage of all nodes.
func (p Pool) Sum() Usage {
	var sum Usage
	for _, usage := range p.Nodes {
		sum.Blocks, sum.Used, sum.Free = sum.Blocks+usage.Blocks, sum.Used+usage.Used, sum.Free+usage.Free
	}
	return sum
}

func (m *Map) machineRows() (rows [][]string) {
	for _, machine := range m.Machines {
		rows = append(rows, []string{machine.Namespace + "/" + machine.Name, join(machine.Addresses), strings.Join(machine.Pools, ", "), machine.Node})
	}
	return rows
}

func (m *Map) shootRows() (rows [][]string) {
	for _, shoot := range m.Shoots {
		nodes := "none"
		if shoot.Nodes.IsValid() {
			nodes = shoot.Nodes.String()
		}
		rows = append(rows, []string{shoot.Namespace + "/" + shoot.Name, nodes, shoot.TechnicalID})
	}
	return rows
}

func (m *Map) driftRows() (rows [][]string) {
	for _, drift := range m.Drift {
		rows = append(rows, []string{drift.Object, drift.Text})
	}
	return rows
}

func join[T fmt.Stringer](values []T) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = value.String()
	}
	return strings.Join(texts, ", ")
}
