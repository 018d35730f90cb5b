# SPDX-License-Identifier: MIT
# pmk with an emulator that takes plugins:  docker build -t pmukit . && docker run --rm -v "$PWD:/here" pmukit stat ./prog
# `--target develop` has what the tests need; .devcontainer uses it.
FROM debian:bookworm AS develop
COPY scripts /tmp/pmukit/scripts
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git make gdb \
	&& /tmp/pmukit/scripts/need build docs run test && rm -rf /tmp/pmukit

FROM debian:bookworm AS packages
RUN apt-get update && apt-get install -y --no-install-recommends build-essential
COPY . /src/pmukit
WORKDIR /src/pmukit
RUN apt-get build-dep -y --no-install-recommends ./ && dpkg-buildpackage -b -us -uc

FROM debian:bookworm-slim
COPY --from=packages /src/pmukit_*.deb /packages/
RUN apt-get update && apt-get install -y --no-install-recommends /packages/*.deb qemu-user qemu-system-arm \
	&& rm -rf /packages /var/lib/apt/lists/*
WORKDIR /here
ENTRYPOINT ["pmk"]
