// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/pkg/access"
)

// Login takes tokens from a form, and keeps them in cookies of the browser. The server keeps none.
type Login struct {
	// Check is nil for a token that the cluster knows, and ErrUnknownReader for others.
	Check func(ctx context.Context, token string) error
}

const (
	// cookiePrefix has browsers take the cookies only over TLS, and send them to this server only.
	cookiePrefix = "__Host-windtunnel-"
	// cookieBytes is how long a cookie is at most: browsers drop longer ones than 4,096 bytes with
	// their names.
	cookieBytes = 3800
	// mostCookies is how many cookies a token may take.
	mostCookies = 4
)

// TokenOf is the bearer token of a request: that of the header, or that of the cookies; "" if it has
// none. No token is in a URL, which logs and histories keep.
func TokenOf(r *http.Request) string {
	if token := access.Bearer(r); token != "" {
		return token
	}
	var token strings.Builder
	for i := range mostCookies {
		c, err := r.Cookie(cookiePrefix + strconv.Itoa(i))
		if err != nil {
			break
		}
		token.WriteString(c.Value)
	}
	return token.String()
}

// setToken keeps a token in the cookies of the browser; "" forgets it.
func setToken(w http.ResponseWriter, token string) {
	for i := range mostCookies {
		part := token[:min(len(token), cookieBytes)]
		token = token[len(part):]
		c := &http.Cookie{
			Name: cookiePrefix + strconv.Itoa(i), Value: part, Path: "/", HttpOnly: true, Secure: true, SameSite: http.SameSiteStrictMode,
		}
		if part == "" {
			c.MaxAge = -1
		}
		http.SetCookie(w, c)
	}
}

// loginForm asks for a token.
func (s *Server) loginForm(w http.ResponseWriter, r *http.Request) {
	s.showLogin(w, r, http.StatusOK, "")
}

func (s *Server) showLogin(w http.ResponseWriter, r *http.Request, status int, fault string) {
	v := &view{Server: s, ResponseWriter: w, Request: r}
	data := struct {
		layout
		Fault string
	}{v.layout("Log in", ""), fault}
	if err := v.renderStatus(status, loginTemplate(), data); err != nil {
		s.Log.Error(err, "A page failed", "path", r.URL.Path)
	}
}

// login checks the token of the form, and keeps it.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 2*mostCookies*cookieBytes)
	token := strings.TrimSpace(r.PostFormValue("token"))
	if token == "" || len(token) > mostCookies*cookieBytes || strings.ContainsAny(token, " \t\r\n;,\"\\") {
		s.showLogin(w, r, http.StatusUnauthorized, "This is not a token.")
		return
	}
	switch err := s.Login.Check(r.Context(), token); {
	case errors.Is(err, ErrUnknownReader):
		s.showLogin(w, r, http.StatusUnauthorized, "The cluster does not know this token, or it has expired.")
	case err != nil:
		s.Log.Error(err, "A token cannot be checked")
		s.showLogin(w, r, http.StatusInternalServerError, "The cluster cannot check tokens now; the server's log has the reason.")
	default:
		setToken(w, token)
		http.Redirect(w, r, "/", http.StatusSeeOther)
	}
}

// logout forgets the token.
func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	setToken(w, "")
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}
