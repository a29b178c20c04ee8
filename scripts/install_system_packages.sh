#!/bin/sh
# What the tests need beyond Python, on Debian and Ubuntu: Chromium, in which the audit's
# report and the board's page are looked at, and Cairo, which draws PNG and GIF; without them
# those tests are skipped. And clang, the other compiler of `make clang`, and zsh and fish, in which
# words are completed, as in bash.
set -eu

sudo=
[ "$(id -u)" -eq 0 ] || sudo=sudo
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update --quiet
# Debian has its headless shell alone, which takes less of the processor; Ubuntu has a snap instead,
# which runners have as a browser.
command -v chromium-headless-shell >/dev/null ||
    $sudo apt-get install --yes --quiet --no-install-recommends \
        chromium-headless-shell fonts-dejavu-core ||
    command -v chromium >/dev/null ||
    $sudo apt-get install --yes --quiet --no-install-recommends chromium fonts-dejavu-core
$sudo apt-get install --yes --quiet --no-install-recommends libcairo2 clang zsh fish
