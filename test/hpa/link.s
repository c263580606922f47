// link.go declares functions without a body, which the compiler permits beside a file like this.
