!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %a = "py.constant"() {value = "16777217", at = "2:4"} : () -> !int
  %b = "py.constant"() {value = "-0x1.6000000000000p+1", at = "3:4"} : () -> !float
  %c = "py.constant"() {value = "1", at = "4:4"} : () -> !bool
  %d = "py.constant"() {value = "0x1.2a05f20000000p+33", at = "5:4"} : () -> !float
  %f1 = "py.cast"(%a) {at = "6:4"} : (!int) -> !float
  %i1 = "py.cast"(%b) {at = "7:4"} : (!float) -> !int
  %i2 = "py.cast"(%c) {at = "8:4"} : (!bool) -> !int
  %f2 = "py.cast"(%c) {at = "9:4"} : (!bool) -> !float
  %i3 = "py.cast"(%d) {at = "10:4"} : (!float) -> !int
  %b1 = "py.cast"(%b) {at = "11:4"} : (!float) -> !bool
  "asc.printf"(%f1, %i1, %i2, %f2, %i3, %b1) {form = "desc: text, arguments: rest", format = "shown", at = "12:4"} : (!float, !int, !int, !float, !int, !bool) -> ()
}) {sym_name = "casts", parameters = ["n", "m", "x"]} : () -> ()
