#compdef pmk
# SPDX-License-Identifier: MIT
# Zsh completion for pmk. What there is to complete is asked of the completion for bash, so that nothing is written down
# twice; bash has to be installed.
#
# Install as share/zsh/site-functions/_pmk, beside share/bash-completion/completions/pmk.

_pmk() {
	local place file
	local -a found
	place=${${functions_source[_pmk]:-$0}:A:h}
	for file in $place/../../bash-completion/completions/pmk $place/pmk.bash; do
		[[ -r $file ]] && break
	done
	found=("${(@f)$(bash --norc -c 'source "$1"; shift; _pmk_ask "$@"' bash $file \
		"${(@Q)words[1,CURRENT]}" 2>/dev/null)}")
	found=(${found:#})
	# What ends so goes on in the same word.
	local -a whole=(${found:#*[=/]}) part=(${(M)found:#*[=/]})
	(( $#whole )) && compadd -Q -- $whole
	(( $#part )) && compadd -Q -S '' -- $part
	(( $#found )) || _files
}

_pmk "$@"
