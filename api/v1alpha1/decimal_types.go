// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "strconv"

// Decimal is a number written as a string, such as "2.5": the API holds no
// floating-point fields, so that every client reads the same digits.
//
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:XValidation:rule="self.matches('^-?[0-9]+([.][0-9]+)?$')",message="must be a decimal in quotes, such as \"2.5\""
type Decimal string

// Float returns the number nearest to d; 0 where d is not a number, which the
// schema rules out.
func (d Decimal) Float() float64 {
	f, _ := strconv.ParseFloat(string(d), 64)
	return f
}

// PositiveDecimal is a Decimal greater than zero.
//
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:XValidation:rule="self.matches('^0*([1-9][0-9]*([.][0-9]+)?|0[.]0*[1-9][0-9]*)$')",message="must be a decimal above 0 in quotes, such as \"2.5\""
type PositiveDecimal string

// Float returns the number nearest to d; 0 where d is not a number, which the
// schema rules out.
func (d PositiveDecimal) Float() float64 { return Decimal(d).Float() }

// NonNegativeDecimal is a Decimal of zero or more.
//
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?$')",message="must be a decimal of 0 or more in quotes, such as \"2.5\""
type NonNegativeDecimal string

// Float returns the number nearest to d; 0 where d is not a number, which the
// schema rules out.
func (d NonNegativeDecimal) Float() float64 { return Decimal(d).Float() }

// Microseconds is a Decimal of 0 or more and less than 100 seconds.
//
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]{1,8}([.][0-9]+)?$')",message="must be a decimal from 0 to 99999999 in quotes, such as \"2.5\""
type Microseconds string

// Float returns the number nearest to d; 0 where d is not a number, which the
// schema rules out.
func (d Microseconds) Float() float64 { return Decimal(d).Float() }

// Fraction is a Decimal greater than 0 and less than 1.
//
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:XValidation:rule="self.matches('^0+[.][0-9]*[1-9][0-9]*$')",message="must be greater than 0 and less than 1, such as \"0.5\""
type Fraction string

// Float returns the number nearest to d; 0 where d is not a number, which the
// schema rules out.
func (d Fraction) Float() float64 { return Decimal(d).Float() }
