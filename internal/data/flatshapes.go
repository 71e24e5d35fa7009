package data

// flatID is a table of Message.fbs, Schema.fbs or File.fbs.
type flatID int

const (
	flatEmpty flatID = iota // of which no part is known
	flatMessage
	flatFooter
	flatSchema
	flatField
	flatDictionary
	flatKeyValue
	flatRecordBatch
	flatDictionaryBatch
	flatCompression
	flatInt
	flatFloat
	flatDecimal
	flatDateType
	flatTimeType
	flatTimestamp
	flatUnit
	flatUnionType
	flatLength
	flatMap
	flatDuration
)

type flatForm int

const (
	flatScalar flatForm = iota
	flatText
	flatStructs // a vector of structs or scalars
	flatTables  // a vector of tables
	flatTable
	flatUnion // a table whose shape the part before tells
)

// flatPart is a part of a table. Its place in the shape is its slot.
type flatPart struct {
	name    string
	form    flatForm
	size    int    // bytes of a scalar, or of a vector's element
	of      flatID // of a table, or of a vector's tables
	members []flatID
	missing uint64 // value of a scalar that is left out
	aside   bool   // says nothing of values
}

type flatShape struct {
	name  string
	parts []flatPart
}

// width is how many bytes of a table a part takes.
func (p *flatPart) width() int {
	if p.form == flatScalar {
		return p.size
	}
	return 4
}

// member is the table of a union's kind.
func (p *flatPart) member(kind int) flatID {
	if kind < len(p.members) {
		return p.members[kind]
	}
	return flatEmpty
}

func flatNumber(name string, size int) flatPart {
	return flatPart{name: name, form: flatScalar, size: size}
}

func flatNumberOr(name string, size int, missing uint64) flatPart {
	return flatPart{name: name, form: flatScalar, size: size, missing: missing}
}

func flatString(name string) flatPart {
	return flatPart{name: name, form: flatText, size: 1}
}

func flatVector(name string, size int) flatPart {
	return flatPart{name: name, form: flatStructs, size: size}
}

func flatList(name string, of flatID) flatPart {
	return flatPart{name: name, form: flatTables, size: 4, of: of}
}

func flatChild(name string, of flatID) flatPart {
	return flatPart{name: name, form: flatTable, of: of}
}

var flatNotes = flatPart{name: "custom metadata", form: flatTables, size: 4, of: flatKeyValue, aside: true}

// flatTypes are the tables of union Type by number.
var flatTypes = []flatID{
	2: flatInt, 3: flatFloat, 7: flatDecimal, 8: flatDateType, 9: flatTimeType, 10: flatTimestamp, 11: flatUnit,
	14: flatUnionType, 15: flatLength, 16: flatLength, 17: flatMap, 18: flatDuration,
}

var flatShapes = [...]flatShape{
	flatEmpty: {name: "type"},
	flatMessage: {"message", []flatPart{
		flatNumber("version", 2), flatNumber("kind", 1),
		{name: "header", form: flatUnion, members: []flatID{messageSchema: flatSchema, messageDictionary: flatDictionaryBatch, messageBatch: flatRecordBatch}},
		flatNumber("length of the body", 8), flatNotes}},
	flatFooter: {"footer", []flatPart{
		flatNumber("version", 2), flatChild("schema", flatSchema), flatVector("list of dictionaries", 24), flatVector("list of batches", 24), flatNotes}},
	flatSchema: {"schema", []flatPart{
		flatNumber("byte order", 2), flatList("list of fields", flatField), flatNotes, {name: "list of features", form: flatStructs, size: 8, aside: true}}},
	flatField: {"field", []flatPart{
		flatString("name"), flatNumber("nullable mark", 1), flatNumber("type's number", 1), {name: "type", form: flatUnion, members: flatTypes},
		flatChild("dictionary", flatDictionary), flatList("list of fields", flatField), flatNotes}},
	flatDictionary: {"dictionary", []flatPart{
		flatNumber("id", 8), flatChild("type of codes", flatInt), flatNumber("order mark", 1), flatNumber("kind", 2)}},
	flatKeyValue: {"custom metadata", []flatPart{flatString("key"), flatString("value")}},
	flatRecordBatch: {"batch", []flatPart{
		flatNumber("number of rows", 8), flatVector("list of arrays", 16), flatVector("list of buffers", 16), flatChild("compression", flatCompression),
		flatVector("list of view buffers", 8)}},
	flatDictionaryBatch: {"dictionary batch", []flatPart{
		flatNumber("id", 8), flatChild("batch", flatRecordBatch), flatNumber("delta mark", 1)}},
	flatCompression: {"compression", []flatPart{flatNumber("codec", 1), flatNumber("method", 1)}},
	flatInt:         {"integer type", []flatPart{flatNumber("width", 4), flatNumber("sign", 1)}},
	flatFloat:       {"float type", []flatPart{flatNumber("width", 2)}},
	flatDecimal:     {"decimal type", []flatPart{flatNumber("precision", 4), flatNumber("scale", 4), flatNumberOr("width", 4, 128)}},
	flatDateType:    {"date type", []flatPart{flatNumberOr("unit", 2, 1)}},
	flatTimeType:    {"time type", []flatPart{flatNumberOr("unit", 2, 1), flatNumberOr("width", 4, 32)}},
	flatTimestamp:   {"timestamp type", []flatPart{flatNumber("unit", 2), flatString("time zone")}},
	flatUnit:        {"interval type", []flatPart{flatNumber("unit", 2)}},
	flatUnionType:   {"union type", []flatPart{flatNumber("mode", 2), flatVector("list of types", 4)}},
	flatLength:      {"type of a fixed size", []flatPart{flatNumber("size", 4)}},
	flatMap:         {"map type", []flatPart{flatNumber("order mark", 1)}},
	flatDuration:    {"duration type", []flatPart{flatNumberOr("unit", 2, 1)}},
}
