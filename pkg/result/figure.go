// SPDX-License-Identifier: Apache-2.0

package result

// Display is how people read a unit.
type Display struct {
	Factor float64
	Suffix string
	// Decimals is their number; ThreeDigits means as many as show three
	// significant digits.
	Decimals int
}

// ThreeDigits is the number of decimals that show three significant digits.
const ThreeDigits = -1

// Display says how people read values of the unit.
func (u Unit) Display() Display {
	switch u {
	case Seconds:
		return Display{1000, "ms", ThreeDigits}
	case Share:
		return Display{100, "%", 2}
	case PerSecond:
		return Display{1, "/s", ThreeDigits}
	case PerHour:
		return Display{1, "/h", ThreeDigits}
	case Index, Ratio:
		return Display{1, "", 3}
	case Hours:
		return Display{1, "h", ThreeDigits}
	case Currency:
		return Display{1, "", 2}
	case CurrencyPerRequest:
		return Display{1000, "per 1000", ThreeDigits}
	default:
		return Display{1, "", ThreeDigits}
	}
}

// Title is the name of a metric with its unit for people.
func (u Unit) Title(name string) string {
	if suffix := u.Display().Suffix; suffix != "" {
		return name + " " + suffix
	}
	return name
}
