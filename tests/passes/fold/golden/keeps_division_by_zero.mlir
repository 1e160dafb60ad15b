!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %one = "py.constant"() {value = "1", at = "2:4"} : () -> !int
  %zero = "py.constant"() {value = "0", at = "3:4"} : () -> !int
  %f1 = "py.constant"() {value = "0x1.0000000000000p+0", at = "4:4"} : () -> !float
  %f0 = "py.constant"() {value = "0x0.0p+0", at = "5:4"} : () -> !float
  %a = "py.binary"(%one, %zero) {operator = "floordiv", at = "6:4"} : (!int, !int) -> !int
  %b = "py.binary"(%one, %zero) {operator = "mod", at = "7:4"} : (!int, !int) -> !int
  %c = "py.binary"(%f1, %f0) {operator = "div", at = "8:4"} : (!float, !float) -> !float
  %d = "py.trunc_div"(%one, %zero) {operator = "floordiv", at = "9:4"} : (!int, !int) -> !int
  "asc.printf"(%a, %b, %c, %d) {form = "desc: text, arguments: rest", format = "shown", at = "10:4"} : (!int, !int, !float, !int) -> ()
}) {sym_name = "keeps_division_by_zero", parameters = ["n", "m", "x"]} : () -> ()
