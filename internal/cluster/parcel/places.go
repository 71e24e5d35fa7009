package parcel

// In: a parcel that is read, or was written, and ends with columns. Out: where each of these begins in its bytes, for who writes other values there.
// Invariant: what stands there is what a reader of the parcel finds as that column.

// Places are where Values begin in a Walk of so many bytes.
func (b *Batch) Places(length int) []int { return places(length, b.Values, false) }

// Places are where Columns begin in a Result of so many bytes.
func (a *Answer) Places(length int) []int { return places(length, a.Columns, true) }

// places goes back from the end. blobs says that each column has its length before it.
func places(end int, columns [][]byte, blobs bool) []int {
	list := make([]int, len(columns))
	for i := len(columns) - 1; i >= 0; i-- {
		end -= len(columns[i])
		list[i] = end
		if blobs {
			end -= len(appendUint(nil, uint64(len(columns[i]))))
		}
	}
	return list
}
