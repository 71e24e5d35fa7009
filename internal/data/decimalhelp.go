package data

import (
	"fmt"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
)

// In: a decimal as it is declared, and a number that it does not hold. Out: what to declare. Invariant: what is named holds
// the number, and where it can all that the declared one holds, so that helps that are followed come to an end.

// decimalHelp says what else there is in the words of other.
func decimalHelp(declared meaning.Meaning, text, other string) string {
	whole, places := digitsOf(text)
	before, behind := max(whole, int(declared.Digits-declared.Places)), max(places, int(declared.Places))
	switch {
	case before+behind <= meaning.MaxDigits:
		return fmt.Sprintf("declare it with more digits, such as Decimal<%d, %d>, or %s", meaning.MaxDigits, behind, other)
	case whole+places > meaning.MaxDigits:
		return fmt.Sprintf("no decimal has more than %d digits: %s", meaning.MaxDigits, orDeclare(other))
	case places < int(declared.Places):
		return fmt.Sprintf("declare it with fewer digits behind the point, such as Decimal<%d, %d>, if no other value needs them, or %s", meaning.MaxDigits, places, other)
	}
	return fmt.Sprintf("declare it with fewer digits before the point, such as Decimal<%d, %d>, if no other value needs them, or %s", meaning.MaxDigits, places, other)
}

// orDeclare is the other way alone.
func orDeclare(other string) string {
	if strings.HasPrefix(other, "as ") {
		return "declare it " + other
	}
	return other
}

// digitsOf counts the digits of a number before and behind its point that it cannot do without.
func digitsOf(text string) (whole, places int) {
	before, behind, _ := strings.Cut(strings.TrimLeft(text, "+-"), ".")
	return len(strings.TrimLeft(before, "0")), len(strings.TrimRight(behind, "0"))
}
