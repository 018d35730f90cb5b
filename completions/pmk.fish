# SPDX-License-Identifier: MIT
# Fish completion for pmk. What there is to complete is asked of the completion for bash, so that nothing is written down
# twice; bash has to be installed.
#
# Install as share/fish/vendor_completions.d/pmk.fish, beside share/bash-completion/completions/pmk.

set -g __pmk_place (dirname (status filename))

function __pmk_complete
    for file in $__pmk_place/../../bash-completion/completions/pmk $__pmk_place/pmk.bash
        if test -r $file
            bash --norc -c 'source "$1"; shift; _pmk_ask "$@"' bash $file \
                (commandline -opc) (commandline -ct) 2>/dev/null
            return
        end
    end
end

complete -c pmk -f -a '(__pmk_complete)'
