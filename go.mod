module github.com/godwit-run/godwit

go 1.26.8
