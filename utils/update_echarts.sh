#!/bin/sh
# Bundles the parts of Apache ECharts that reports use into third_party/echarts/echarts.min.js.
# usage: utils/update_echarts.sh [VERSION]
# Needs npm; the packages come from the registry that it is configured for.
set -eu

version=${1:-6.1.0}
place=$(cd "$(dirname "$0")/../third_party/echarts" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
npm init -y > /dev/null
npm install --no-audit --no-fund "echarts@$version" esbuild@0.28.2
cp "$place/entry.js" .
{
  echo "/*! Apache ECharts $version, Apache-2.0; see third_party/echarts */"
  npx esbuild entry.js --bundle --minify --format=iife --global-name=echarts \
    --legal-comments=none --charset=ascii
} > echarts.min.js
cp echarts.min.js node_modules/echarts/LICENSE node_modules/echarts/NOTICE \
  node_modules/echarts/licenses/LICENSE-d3 "$place"
cp node_modules/zrender/LICENSE "$place/LICENSE-zrender"
