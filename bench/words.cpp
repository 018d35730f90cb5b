// SPDX-License-Identifier: MIT
// A program in the style of C++ for bench/record: containers, strings, streams, virtual functions.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

struct Rule {
	virtual ~Rule() = default;
	virtual bool takes(const std::string &word) const = 0;
};

struct Longer : Rule {
	size_t n;
	explicit Longer(size_t n) : n(n) {}
	bool takes(const std::string &word) const override { return word.size() > n; }
};

struct Begins : Rule {
	char letter;
	explicit Begins(char letter) : letter(letter) {}
	bool takes(const std::string &word) const override { return word[0] == letter; }
};

static std::string text_of(unsigned n)
{
	std::ostringstream out;
	unsigned seed = 1;

	for (unsigned i = 0; i < n; i++) {
		seed = seed * 1103515245 + 12345;
		for (unsigned k = 0; k < 2 + (seed >> 16) % 6; k++)
			out << static_cast<char>('a' + (seed >> (k + 8)) % 26);
		out << ' ';
	}
	return out.str();
}

int main()
{
	std::istringstream in(text_of(2000));
	std::unordered_map<std::string, unsigned> count;
	std::map<unsigned, std::vector<std::string>> by_count;
	std::vector<std::unique_ptr<Rule>> rules;
	unsigned taken = 0;

	rules.push_back(std::make_unique<Longer>(5));
	rules.push_back(std::make_unique<Begins>('q'));
	for (std::string word; in >> word;)
		count[word]++;
	for (const auto &[word, n] : count) {
		by_count[n].push_back(word);
		taken += std::any_of(rules.begin(), rules.end(),
				     [&](const auto &rule) { return rule->takes(word); });
	}
	for (auto &[n, words] : by_count)
		std::sort(words.begin(), words.end());
	std::cout << count.size() << ' ' << by_count.size() << ' ' << taken << '\n';
}
