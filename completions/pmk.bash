# SPDX-License-Identifier: MIT
# Bash completion for pmk. Options come from `pmk COMMAND --help`, names from `pmk list`, so that nothing
# is written down twice. Needs no bash-completion package.
#
# Install as /usr/share/bash-completion/completions/pmk, or source it.

# The pmk that stands on the command line, so that one in a build tree completes its own names.
_pmk_run() {
	"${COMP_WORDS[0]/#\~/$HOME}" "$@" 2>/dev/null
}

_pmk_commands() {
	_pmk_run --help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p'
}

# Options of command $1 as "-e" and "--event" lines; with "arg" as $2 only those that take a value.
_pmk_options() {
	_pmk_run "$1" --help | sed -n "
		/^  \(-[A-Za-z], \|    \)--/!d
		${2:+/--[a-z-]* [A-Z]/!d;}
		s/^  \(-[A-Za-z]\), \(--[a-z-]*\).*/\1\n\2/p
		s/^      \(--[a-z-]*\).*/\1/p"
}

# Names of a topic of pmk list: the first column.
_pmk_names() {
	_pmk_run list "$@" | sed -n 's/^  \([A-Za-z0-9][A-Za-z0-9_-]*\) .*/\1/p'
}

_pmk_parameters() {
	_pmk_run list cores -v | sed -n 's/^    \([a-z0-9_]*\(\.[a-z0-9_]*\)*\)  *\(on\|off\|none\|own\|lru\|fifo\|plru\|random\|[0-9]\).*/\1=/p' | sort -u
}

# The value of option $1 given so far on the command line; fails when there is none.
_pmk_given() {
	local i
	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		"$1")
			[ "${COMP_WORDS[i + 1]}" = = ] && ((i++))
			echo "${COMP_WORDS[i + 1]}"
			return ;;
		"$1"=*) echo "${COMP_WORDS[i]#*=}"; return ;;
		esac
	done
	return 1
}

# The PMU of core $1.
_pmk_pmu_of() {
	_pmk_run info "$1" | sed -n 's/^    PMU  *\([a-z0-9_-]*\)$/\1/p'
}

# The PMU that is meant: of --pmu, that of --core, or all.
_pmk_pmu() {
	local pmu core
	pmu=$(_pmk_given --pmu)
	core=$(_pmk_given --core)
	[ -n "$pmu" ] || [ -z "$core" ] || pmu=$(_pmk_pmu_of "$core")
	[ -z "$pmu" ] || echo "--pmu=$pmu"
}

# The registers of these PMUs.
_pmk_registers() {
	_pmk_run info "$@" | sed -n 's/^    registers  *//p' | tr ' ' '\n' | sort -u
}

_pmk_words() { # words, prefix to keep
	local word
	COMPREPLY=()
	while IFS= read -r word; do
		[[ $word == "$cur"* ]] && COMPREPLY+=("$2$word")
	done <<<"$1"
}

# A comma separated list: complete what follows the last comma or brace.
_pmk_list() {
	local head=
	if [[ $cur == *[,{]* ]]; then
		head=${cur%"${cur##*[,{]}"}
		cur=${cur##*[,{]}
	fi
	_pmk_words "$1" "$head"
	compopt -o nospace 2>/dev/null
}

_pmk_files() {
	local IFS=$'\n'
	COMPREPLY=($(compgen "${1:--f}" -- "$cur"))
	compopt -o filenames 2>/dev/null
}

# The value of option $2 of command $1.
_pmk_value() {
	local arg
	arg=$(_pmk_run "$1" --help | sed -n "s/^  .*\($2\|$2, --[a-z-]*\) \([A-Z][^ ]*\)  .*/\2/p")
	case $2:$arg in
	-e:* | --event:*) _pmk_list "$(_pmk_names events $(_pmk_pmu)
		echo all)" ;;
	-M:* | --metrics:*) _pmk_list "$(_pmk_names metrics $(_pmk_pmu))" ;;
	*:PMU) _pmk_words "$(_pmk_names pmus)" ;;
	*:CORE) if [[ $cur == */* ]]; then _pmk_files -f; else _pmk_words "$(_pmk_names cores)"; fi ;;
	*:TARGET) _pmk_words "$(_pmk_names targets)" ;;
	-p:* | --pid:*) _pmk_list "$(cd /proc && printf '%s\n' [0-9]*)" ;;
	--engine:*) _pmk_words $'make\nslurm' ;;
	--passes:*) _pmk_words $'clone\nrerun' ;;
	*:FORMAT) _pmk_words $'callgrind\nfirefox\nfolded\nlcov\nperf\nperfetto\npprof\nspeedscope' ;;
	--sort:*) _pmk_words $'function\nfile\nline\nobject\nthread' ;;
	--set:*) _pmk_words "$(_pmk_parameters)"
		compopt -o nospace 2>/dev/null ;;
	--env:*) _pmk_words "$(compgen -v)" ;;
	*:DIR) _pmk_files -d ;;
	*:FILE | *:DB) _pmk_files -f ;;
	esac
}

# The program is a file or a command; its arguments are files.
_pmk_program() {
	if [[ $cur == */* ]] || [ -z "$cur" ]; then
		_pmk_files -f
	else
		_pmk_words "$(compgen -c -- "$cur"; compgen -f -- "$cur")"
	fi
}

# Does the command run another one?
_pmk_runs() {
	[[ $command == stat || $command == record || $command == run ]]
}

_pmk_operand() {
	case $1 in
	stat | record | run | gate) _pmk_program ;;
	report | diff | sweep) _pmk_files -f ;;
	list) _pmk_words "$(printf '%s\n' pmus cores events metrics targets all; _pmk_names pmus)" ;;
	info)
		if [[ $cur == */* ]]; then
			_pmk_files -f
		else
			_pmk_words "$(_pmk_names events $(_pmk_pmu); _pmk_names metrics; _pmk_names pmus
				_pmk_names cores; _pmk_parameters | tr -d =
				_pmk_registers $(_pmk_given --pmu || _pmk_names pmus))"
		fi ;;
	decode)
		if [ "$operands" = 0 ]; then
			_pmk_words "$(_pmk_names pmus)"
		else
			_pmk_words "$(_pmk_registers "$first" | sed 's/$/=/')"
			compopt -o nospace 2>/dev/null
		fi ;;
	wave) if [ "$operands" = 0 ]; then _pmk_words $'signals\ncheck'; else _pmk_files -f; fi ;;
	history) if [ "$operands" = 0 ]; then _pmk_words $'add\nshow\ngood\nbad\nbisect\ntest'; else _pmk_program; fi ;;
	doctor) _pmk_words $'environment\narmv8\nahbmon' ;;
	help) _pmk_words "$(_pmk_commands)" ;;
	esac
}

_pmk() {
	local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} takes word i first operands=0 ended=
	COMPREPLY=()
	if [ "$COMP_CWORD" -le 1 ]; then
		_pmk_words "$(_pmk_commands; printf '%s\n' help --help --version)"
		return
	fi
	takes=" $(_pmk_options "$command" arg | tr '\n' ' ')"

	# Walk up to the cursor: options, values, operands. `=` is a word of its own in bash.
	for ((i = 2; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [ -z "$ended" ] && [ "$word" = -- ]; then
			ended=1
		elif [ -z "$ended" ] && [[ $takes == *" $word "* ]]; then
			[ "${COMP_WORDS[i + 1]}" = = ] && ((i++))
			if ((++i >= COMP_CWORD)); then
				[ "$cur" = = ] && cur=
				_pmk_value "$command" "$word"
				return
			fi
			# KEY=VALUE is three words, too
			while [ "${COMP_WORDS[i + 1]}" = = ]; do
				((i += 2))
			done
		elif [ -n "$ended" ] || [[ $word != -* ]]; then
			((operands++)) || first=$word
			_pmk_runs && ended=1
		fi
	done
	if [ -z "$ended" ] && [[ $cur == -* ]]; then
		_pmk_words "$(_pmk_options "$command")"
	elif _pmk_runs && [ "$operands" -gt 0 ]; then
		_pmk_files -f
	else
		_pmk_operand "$command"
	fi
}

# For zsh and fish, which have files of their own: complete the last word given, the command before it, and print the
# whole words that may stand in its place. bash has `=` as a word of its own.
_pmk_ask() {
	local COMP_WORDS=() COMP_CWORD COMPREPLY=() word last=${!#} kept=
	for word; do
		while [[ $word == -*=* || ( $word == *=* && ${COMP_WORDS[-1]-} == --set ) ]]; do
			COMP_WORDS+=("${word%%=*}" =)
			word=${word#*=}
		done
		COMP_WORDS+=("$word")
	done
	[ "$word" = "$last" ] || kept=${last%"$word"}
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_pmk
	for word in "${COMPREPLY[@]}"; do
		printf '%s\n' "$kept$word"
	done
}

# An older shell, or one that is not interactive, may lack it.
complete -F _pmk pmk 2>/dev/null || :
