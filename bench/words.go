// SPDX-License-Identifier: MIT
// A program in the style of Go for bench/record: maps, slices, interfaces, goroutines, fmt.
package main

import (
	"fmt"
	"sort"
	"strings"
)

type rule interface{ takes(word string) bool }

type longer struct{ n int }

func (r longer) takes(word string) bool { return len(word) > r.n }

type begins struct{ letter byte }

func (r begins) takes(word string) bool { return word[0] == r.letter }

func text(n int) string {
	var out strings.Builder
	seed := uint32(1)
	for i := 0; i < n; i++ {
		seed = seed*1103515245 + 12345
		for k := uint32(0); k < 2+(seed>>16)%6; k++ {
			out.WriteByte(byte('a' + (seed>>(k+8))%26))
		}
		out.WriteByte(' ')
	}
	return out.String()
}

func main() {
	words := make(chan string)
	count := map[string]int{}
	rules := []rule{longer{5}, begins{'q'}}
	taken := 0

	go func() {
		for _, word := range strings.Fields(text(2000)) {
			words <- word
		}
		close(words)
	}()
	for word := range words {
		count[word]++
	}
	byCount := map[int][]string{}
	for word, n := range count {
		byCount[n] = append(byCount[n], word)
		for _, r := range rules {
			if r.takes(word) {
				taken++
				break
			}
		}
	}
	var numbers []int
	for n := range byCount {
		numbers = append(numbers, n)
	}
	sort.Ints(numbers)
	for _, n := range numbers {
		sort.Strings(byCount[n])
		fmt.Println(n, len(byCount[n]), byCount[n][0])
	}
	fmt.Println(taken)
}
