!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %three = "py.constant"() {value = "3", at = "2:4"} : () -> !int
  %five = "py.constant"() {value = "5", at = "3:4"} : () -> !int
  %a = "py.binary"(%n, %three) {operator = "mul", at = "4:4"} : (!int, !int) -> !int
  %b = "py.binary"(%a, %five) {operator = "add", at = "5:4"} : (!int, !int) -> !int
  %c = "py.binary"(%n, %three) {operator = "add", at = "6:4"} : (!int, !int) -> !int
  %d = "py.binary"(%c, %five) {operator = "mul", at = "7:4"} : (!int, !int) -> !int
  %e = "py.binary"(%three, %n) {operator = "sub", at = "8:4"} : (!int, !int) -> !int
  %f = "py.binary"(%e, %five) {operator = "add", at = "9:4"} : (!int, !int) -> !int
  "asc.printf"(%b, %d, %f) {form = "desc: text, arguments: rest", format = "shown", at = "10:4"} : (!int, !int, !int) -> ()
}) {sym_name = "keeps_sums_and_products_apart", parameters = ["n", "m", "x"]} : () -> ()
