module github.com/godwit-run/godwit

go 1.26.8

require (
	github.com/apache/arrow-go/v18 v18.8.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
