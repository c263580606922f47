// Writes the documentation as a site. A module of its own, so that the operator does
// not depend on a Markdown library.
module windtunnel.dev/windtunnel/hack/site

go 1.26.0

require github.com/yuin/goldmark v1.8.7
