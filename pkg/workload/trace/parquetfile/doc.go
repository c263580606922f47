// SPDX-License-Identifier: Apache-2.0

// Package parquetfile reads and writes traces as Parquet files. It is a package of its own,
// and only the verbs import it, because it links a library of Parquet with all its
// compressions.
package parquetfile
