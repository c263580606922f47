// SPDX-License-Identifier: Apache-2.0

package result

// Display is how people read a unit.
type Display struct {
	Factor float64
	Suffix string
	// Decimals is their number; FourDigits means as many as show four
	// significant digits.
	Decimals int
}

// FourDigits is the number of decimals that show four significant digits.
const FourDigits = -1

// Display says how people read values of the unit.
func (u Unit) Display() Display {
	switch u {
	case Seconds:
		return Display{1000, "ms", FourDigits}
	case Share:
		return Display{100, "%", 2}
	case PerSecond:
		return Display{1, "/s", FourDigits}
	case PerHour:
		return Display{1, "/h", FourDigits}
	case Index, Ratio:
		return Display{1, "", 3}
	case Hours:
		return Display{1, "h", FourDigits}
	case Currency:
		return Display{1, "", 2}
	case CurrencyPerRequest:
		return Display{1000, "per 1000", FourDigits}
	default:
		return Display{1, "", FourDigits}
	}
}

// Title is the name of a metric with its unit for people.
func (u Unit) Title(name string) string {
	if suffix := u.Display().Suffix; suffix != "" {
		return name + " " + suffix
	}
	return name
}
