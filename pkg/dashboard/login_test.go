// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// tokens knows readers by tokens: the name again and again.
type tokens struct{ *rights }

func (g tokens) Reader(r *http.Request) (Reader, error) {
	name, _, _ := strings.Cut(TokenOf(r), ".")
	r.Header.Set("Reader", name)
	return g.rights.Reader(r)
}

func withLogin(o *Options) {
	o.Login = &Login{Check: func(_ context.Context, token string) error {
		if !strings.HasPrefix(token, "a.") {
			return ErrUnknownReader
		}
		return nil
	}}
}

// post sends the form of the login.
func post(t *testing.T, server, token string, change ...func(*http.Request)) *http.Response {
	t.Helper()
	form := url.Values{"token": {token}}.Encode()
	return ask(t, http.MethodPost, server+"/login", "", append(change, func(r *http.Request) {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(form)), int64(len(form))
	})...)
}

func TestLogin(t *testing.T) {
	server, _ := serve(t, newShelf(sample(Sweeps, "a", "s")), tokens{everything()}, withLogin)
	for name, token := range map[string]string{"a short token": "a.x", "a token for several cookies": "a." + strings.Repeat("x", 9000)} {
		t.Run(name, func(t *testing.T) {
			response := post(t, server.URL, token)
			if response.StatusCode != http.StatusSeeOther || response.Header.Get("Location") != "/" {
				t.Fatalf("status %d, to %s: %s", response.StatusCode, response.Header.Get("Location"), whole(t, response))
			}
			var cookies []*http.Cookie
			for _, c := range response.Cookies() {
				if !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || len(c.Value) > cookieBytes || c.Domain != "" {
					t.Errorf("cookie %+v", c)
				}
				if c.MaxAge >= 0 {
					cookies = append(cookies, c)
				}
			}
			page := ask(t, http.MethodGet, server.URL+"/", "", func(r *http.Request) {
				for _, c := range cookies {
					r.AddCookie(c)
				}
			})
			if text := whole(t, page); page.StatusCode != http.StatusOK || !strings.Contains(text, "policysweeps/s") || !strings.Contains(text, "Log out") {
				t.Errorf("status %d:\n%s", page.StatusCode, text)
			}
		})
	}
	for name, token := range map[string]string{
		"a token of nobody": "b.x", "no token": "", "a token that is too long": "a." + strings.Repeat("x", mostCookies*cookieBytes), "a header": "a.x\r\nSet-Cookie: y",
	} {
		if response := post(t, server.URL, token); response.StatusCode != http.StatusUnauthorized || len(response.Cookies()) > 0 {
			t.Errorf("%s: status %d, cookies %v", name, response.StatusCode, response.Cookies())
		}
	}
	elsewhere := post(t, server.URL, "a.x", func(r *http.Request) {
		r.Header.Set("Origin", "https://evil.example")
		r.Header.Set("Sec-Fetch-Site", "cross-site")
	})
	if elsewhere.StatusCode != http.StatusForbidden || len(elsewhere.Cookies()) > 0 {
		t.Errorf("a form of another site: status %d", elsewhere.StatusCode)
	}
}

// People are asked for a token; programs have a status. A token in a URL counts for nothing.
func TestWhoIsNotKnownIsAsked(t *testing.T) {
	server, _ := serve(t, newShelf(sample(Sweeps, "a", "s")), tokens{everything()}, withLogin)
	object := server.URL + "/namespaces/a/policysweeps/s"
	for name, test := range map[string]struct {
		path   string
		header http.Header
		want   int
	}{
		"a person":                 {"", nil, http.StatusSeeOther},
		"a token in the URL":       {"?token=a.x&access_token=a.x", nil, http.StatusSeeOther},
		"a program with a token":   {"/status", http.Header{"Authorization": {"Bearer a.x"}}, http.StatusOK},
		"a program of nobody":      {"", http.Header{"Authorization": {"Bearer zz.x"}}, http.StatusUnauthorized},
		"a stream without a token": {"/events", http.Header{"Accept": {eventStream}}, http.StatusUnauthorized},
	} {
		response := ask(t, http.MethodGet, object+test.path, "", func(r *http.Request) {
			for key, values := range test.header {
				r.Header[key] = values
			}
		})
		if response.StatusCode != test.want {
			t.Errorf("%s: status %d, want %d", name, response.StatusCode, test.want)
		}
		if strings.Contains(response.Header.Get("Location"), "a.x") {
			t.Errorf("%s: the token is in the location", name)
		}
	}
	out := ask(t, http.MethodPost, server.URL+"/logout", "")
	for _, c := range out.Cookies() {
		if c.MaxAge >= 0 || c.Value != "" {
			t.Errorf("after logging out: cookie %+v", c)
		}
	}
	if len(out.Cookies()) != mostCookies {
		t.Errorf("%d cookies are forgotten", len(out.Cookies()))
	}
}
