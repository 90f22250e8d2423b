; Made by library.sh from library.c: change that.
%struct.category = type { i8** }
%struct.console = type { i8**, [280 x i8] }
%struct.head = type { i8*, void (i8*)*, i32, [3 x i32] }
%struct.error = type { i8**, i8* }
%struct.string = type { i8*, i64, [16 x i8] }
%struct.node = type { i32, i32, %struct.node*, %struct.node*, %struct.node* }
%struct.link = type { %struct.link*, %struct.link* }
%struct.policy = type { float, i64 }
%struct.stream = type { i8**, i8*, i64 }
%struct.condition = type { i32, %struct.category* }
%struct.code = type { i32, %struct.category* }
@_ZTSSt9exception = weak_odr constant [13 x i8] c"St9exception\00", align 1
@_ZTVN10__cxxabiv117__class_type_infoE = external global [0 x i8*], align 8
@_ZTISt9exception = weak_odr constant [2 x i8*] [i8* getelementptr (i8, i8* bitcast ([0 x i8*]* @_ZTVN10__cxxabiv117__class_type_infoE to i8*), i64 16), i8* getelementptr inbounds ([13 x i8], [13 x i8]* @_ZTSSt9exception, i32 0, i32 0)], align 16
@.str = private constant [15 x i8] c"std::exception\00", align 1
@_ZTVSt9exception = weak_odr constant [5 x i8*] [i8* null, i8* bitcast ([2 x i8*]* @_ZTISt9exception to i8*), i8* bitcast (void (i8*)* @_ZNSt9exceptionD1Ev to i8*), i8* bitcast (void (i8*)* @_ZNSt9exceptionD0Ev to i8*), i8* bitcast (i8* (i8*)* @_ZNKSt9exception4whatEv to i8*)], align 16
@_ZTSSt13bad_exception = weak_odr constant [18 x i8] c"St13bad_exception\00", align 16
@_ZTVN10__cxxabiv120__si_class_type_infoE = external global [0 x i8*], align 8
@_ZTISt13bad_exception = weak_odr constant [3 x i8*] [i8* getelementptr (i8, i8* bitcast ([0 x i8*]* @_ZTVN10__cxxabiv120__si_class_type_infoE to i8*), i64 16), i8* getelementptr inbounds ([18 x i8], [18 x i8]* @_ZTSSt13bad_exception, i32 0, i32 0), i8* bitcast ([2 x i8*]* @_ZTISt9exception to i8*)], align 16
@.str.1 = private constant [19 x i8] c"std::bad_exception\00", align 1
@_ZTVSt13bad_exception = weak_odr constant [5 x i8*] [i8* null, i8* bitcast ([3 x i8*]* @_ZTISt13bad_exception to i8*), i8* bitcast (void (i8*)* @_ZNSt13bad_exceptionD1Ev to i8*), i8* bitcast (void (i8*)* @_ZNSt13bad_exceptionD0Ev to i8*), i8* bitcast (i8* (i8*)* @_ZNKSt13bad_exception4whatEv to i8*)], align 16
@_ZTSSt9bad_alloc = weak_odr constant [13 x i8] c"St9bad_alloc\00", align 1
@_ZTISt9bad_alloc = weak_odr constant [3 x i8*] [i8* getelementptr (i8, i8* bitcast ([0 x i8*]* @_ZTVN10__cxxabiv120__si_class_type_infoE to i8*), i64 16), i8* getelementptr inbounds ([13 x i8], [13 x i8]* @_ZTSSt9bad_alloc, i32 0, i32 0), i8* bitcast ([2 x i8*]* @_ZTISt9exception to i8*)], align 16
@.str.2 = private constant [15 x i8] c"std::bad_alloc\00", align 1
@_ZTVSt9bad_alloc = weak_odr constant [5 x i8*] [i8* null, i8* bitcast ([3 x i8*]* @_ZTISt9bad_alloc to i8*), i8* bitcast (void (i8*)* @_ZNSt9bad_allocD1Ev to i8*), i8* bitcast (void (i8*)* @_ZNSt9bad_allocD0Ev to i8*), i8* bitcast (i8* (i8*)* @_ZNKSt9bad_alloc4whatEv to i8*)], align 16
@_ZTSSt20bad_array_new_length = weak_odr constant [25 x i8] c"St20bad_array_new_length\00", align 16
@_ZTISt20bad_array_new_length = weak_odr constant [3 x i8*] [i8* getelementptr (i8, i8* bitcast ([0 x i8*]* @_ZTVN10__cxxabiv120__si_class_type_infoE to i8*), i64 16), i8* getelementptr inbounds ([25 x i8], [25 x i8]* @_ZTSSt20bad_array_new_length, i32 0, i32 0), i8* bitcast ([3 x i8*]* @_ZTISt9bad_alloc to i8*)], align 16
@.str.3 = private constant [26 x i8] c"std::bad_array_new_length\00", align 1
@_ZTVSt20bad_array_new_length = weak_odr constant [5 x i8*] [i8* null, i8* bitcast ([3 x i8*]* @_ZTISt20bad_array_new_length to i8*), i8* bitcast (void (i8*)* @_ZNSt20bad_array_new_lengthD1Ev to i8*), i8* bitcast (void (i8*)* @_ZNSt20bad_array_new_lengthD0Ev to i8*), i8* bitcast (i8* (i8*)* @_ZNKSt20bad_array_new_length4whatEv to i8*)], align 16
@_ZTSSt8bad_cast = weak_odr constant [12 x i8] c"St8bad_cast\00", align 1
@_ZTISt8bad_cast = weak_odr constant [3 x i8*] [i8* getelementptr (i8, i8* bitcast ([0 x i8*]* @_ZTVN10__cxxabiv120__si_class_type_infoE to i8*), i64 16), i8* getelementptr inbounds ([12 x i8], [12 x i8]* @_ZTSSt8bad_cast, i32 0, i32 0), i8* bitcast ([2 x i8*]* @_ZTISt9exception to i8*)], align 16
@.str.4 = private constant [14 x i8] c"std::bad_cast\00", align 1
@_ZTVSt8bad_cast = weak_odr constant [5 x i8*] [i8* null, i8* bitcast ([3 x i8*]* @_ZTISt8bad_cast to i8*), i8* bitcast (void (i8*)* @_ZNSt8bad_castD1Ev to i8*), i8* bitcast (void (i8*)* @_ZNSt8bad_castD0Ev to i8*), i8* bitcast (i8* (i8*)* @_ZNKSt8bad_cast4whatEv to i8*)], align 16
@_ZTSSt10bad_typeid = weak_odr constant [15 x i8] c"St10bad_typeid\00", align 1
@_ZTISt10bad_typeid = weak_odr constant [3 x i8*] [i8* getelementptr (i8, i8* bitcast ([0 x i8*]* @_ZTVN10__cxxabiv120__si_class_type_infoE to i8*), i64 16), i8* getelementptr inbounds ([15 x i8], [15 x i8]* @_ZTSSt10bad_typeid, i32 0, i32 0), i8* bitcast ([2 x i8*]* @_ZTISt9exception to i8*)], align 16
@.str.5 = private constant [16 x i8] c"std::bad_typeid\00", align 1
@_ZTVSt10bad_typeid = weak_odr constant [5 x i8*] [i8* null, i8* bitcast ([3 x i8*]* @_ZTISt10bad_typeid to i8*), i8* bitcast (void (i8*)* @_ZNSt10bad_typeidD1Ev to i8*), i8* bitcast (void (i8*)* @_ZNSt10bad_typeidD0Ev to i8*), i8* bitcast (i8* (i8*)* @_ZNKSt10bad_typeid4whatEv to i8*)], align 16
@_ZTSSt12bad_weak_ptr = weak_odr constant [17 x i8] c"St12bad_weak_ptr\00", align 16
@_ZTISt12bad_weak_ptr = weak_odr constant [3 x i8*] [i8* getelementptr (i8, i8* bitcast ([0 x i8*]* @_ZTVN10__cxxabiv120__si_class_type_infoE to i8*), i64 16), i8* getelementptr inbounds ([17 x i8], [17 x i8]* @_ZTSSt12bad_weak_ptr, i32 0, i32 0), i8* bitcast ([2 x i8*]* @_ZTISt9exception to i8*)], align 16
@.str.6 = private constant [13 x i8] c"bad_weak_ptr\00", align 1
@_ZTVSt12bad_weak_ptr = weak_odr constant [5 x i8*] [i8* null, i8* bitcast ([3 x i8*]* @_ZTISt12bad_weak_ptr to i8*), i8* bitcast (void (i8*)* @_ZNSt12bad_weak_ptrD1Ev to i8*), i8* bitcast (void (i8*)* @_ZNSt12bad_weak_ptrD0Ev to i8*), i8* bitcast (i8* (i8*)* @_ZNKSt12bad_weak_ptr4whatEv to i8*)], align 16
@_ZTSSt17bad_function_call = weak_odr constant [22 x i8] c"St17bad_function_call\00", align 16
@_ZTISt17bad_function_call = weak_odr constant [3 x i8*] [i8* getelementptr (i8, i8* bitcast ([0 x i8*]* @_ZTVN10__cxxabiv120__si_class_type_infoE to i8*), i64 16), i8* getelementptr inbounds ([22 x i8], [22 x i8]* @_ZTSSt17bad_function_call, i32 0, i32 0), i8* bitcast ([2 x i8*]* @_ZTISt9exception to i8*)], align 16
@.str.7 = private constant [18 x i8] c"bad_function_call\00", align 1
@_ZTVSt17bad_function_call = weak_odr constant [5 x i8*] [i8* null, i8* bitcast ([3 x i8*]* @_ZTISt17bad_function_call to i8*), i8* bitcast (void (i8*)* @_ZNSt17bad_function_callD1Ev to i8*), i8* bitcast (void (i8*)* @_ZNSt17bad_function_callD0Ev to i8*), i8* bitcast (i8* (i8*)* @_ZNKSt17bad_function_call4whatEv to i8*)], align 16
@_ZTSSt11logic_error = weak_odr constant [16 x i8] c"St11logic_error\00", align 16
@_ZTISt11logic_error = weak_odr constant [3 x i8*] [i8* getelementptr (i8, i8* bitcast ([0 x i8*]* @_ZTVN10__cxxabiv120__si_class_type_infoE to i8*), i64 16), i8* getelementptr inbounds ([16 x i8], [16 x i8]* @_ZTSSt11logic_error, i32 0, i32 0), i8* bitcast ([2 x i8*]* @_ZTISt9exception to i8*)], align 16
@_ZTVSt11logic_error = weak_odr constant [5 x i8*] [i8* null, i8* bitcast ([3 x i8*]* @_ZTISt11logic_error to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt11logic_errorD1Ev to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt11logic_errorD0Ev to i8*), i8* bitcast (i8* (%struct.error*)* @_ZNKSt11logic_error4whatEv to i8*)], align 16
@_ZTSSt12domain_error = weak_odr constant [17 x i8] c"St12domain_error\00", align 16
@_ZTISt12domain_error = weak_odr constant [3 x i8*] [i8* getelementptr (i8, i8* bitcast ([0 x i8*]* @_ZTVN10__cxxabiv120__si_class_type_infoE to i8*), i64 16), i8* getelementptr inbounds ([17 x i8], [17 x i8]* @_ZTSSt12domain_error, i32 0, i32 0), i8* bitcast ([3 x i8*]* @_ZTISt11logic_error to i8*)], align 16
@_ZTVSt12domain_error = weak_odr constant [5 x i8*] [i8* null, i8* bitcast ([3 x i8*]* @_ZTISt12domain_error to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt12domain_errorD1Ev to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt12domain_errorD0Ev to i8*), i8* bitcast (i8* (%struct.error*)* @_ZNKSt12domain_error4whatEv to i8*)], align 16
@_ZTSSt16invalid_argument = weak_odr constant [21 x i8] c"St16invalid_argument\00", align 16
@_ZTISt16invalid_argument = weak_odr constant [3 x i8*] [i8* getelementptr (i8, i8* bitcast ([0 x i8*]* @_ZTVN10__cxxabiv120__si_class_type_infoE to i8*), i64 16), i8* getelementptr inbounds ([21 x i8], [21 x i8]* @_ZTSSt16invalid_argument, i32 0, i32 0), i8* bitcast ([3 x i8*]* @_ZTISt11logic_error to i8*)], align 16
@_ZTVSt16invalid_argument = weak_odr constant [5 x i8*] [i8* null, i8* bitcast ([3 x i8*]* @_ZTISt16invalid_argument to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt16invalid_argumentD1Ev to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt16invalid_argumentD0Ev to i8*), i8* bitcast (i8* (%struct.error*)* @_ZNKSt16invalid_argument4whatEv to i8*)], align 16
@_ZTSSt12length_error = weak_odr constant [17 x i8] c"St12length_error\00", align 16
@_ZTISt12length_error = weak_odr constant [3 x i8*] [i8* getelementptr (i8, i8* bitcast ([0 x i8*]* @_ZTVN10__cxxabiv120__si_class_type_infoE to i8*), i64 16), i8* getelementptr inbounds ([17 x i8], [17 x i8]* @_ZTSSt12length_error, i32 0, i32 0), i8* bitcast ([3 x i8*]* @_ZTISt11logic_error to i8*)], align 16
@_ZTVSt12length_error = weak_odr constant [5 x i8*] [i8* null, i8* bitcast ([3 x i8*]* @_ZTISt12length_error to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt12length_errorD1Ev to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt12length_errorD0Ev to i8*), i8* bitcast (i8* (%struct.error*)* @_ZNKSt12length_error4whatEv to i8*)], align 16
@_ZTSSt12out_of_range = weak_odr constant [17 x i8] c"St12out_of_range\00", align 16
@_ZTISt12out_of_range = weak_odr constant [3 x i8*] [i8* getelementptr (i8, i8* bitcast ([0 x i8*]* @_ZTVN10__cxxabiv120__si_class_type_infoE to i8*), i64 16), i8* getelementptr inbounds ([17 x i8], [17 x i8]* @_ZTSSt12out_of_range, i32 0, i32 0), i8* bitcast ([3 x i8*]* @_ZTISt11logic_error to i8*)], align 16
@_ZTVSt12out_of_range = weak_odr constant [5 x i8*] [i8* null, i8* bitcast ([3 x i8*]* @_ZTISt12out_of_range to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt12out_of_rangeD1Ev to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt12out_of_rangeD0Ev to i8*), i8* bitcast (i8* (%struct.error*)* @_ZNKSt12out_of_range4whatEv to i8*)], align 16
@_ZTSSt13runtime_error = weak_odr constant [18 x i8] c"St13runtime_error\00", align 16
@_ZTISt13runtime_error = weak_odr constant [3 x i8*] [i8* getelementptr (i8, i8* bitcast ([0 x i8*]* @_ZTVN10__cxxabiv120__si_class_type_infoE to i8*), i64 16), i8* getelementptr inbounds ([18 x i8], [18 x i8]* @_ZTSSt13runtime_error, i32 0, i32 0), i8* bitcast ([2 x i8*]* @_ZTISt9exception to i8*)], align 16
@_ZTVSt13runtime_error = weak_odr constant [5 x i8*] [i8* null, i8* bitcast ([3 x i8*]* @_ZTISt13runtime_error to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt13runtime_errorD1Ev to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt13runtime_errorD0Ev to i8*), i8* bitcast (i8* (%struct.error*)* @_ZNKSt13runtime_error4whatEv to i8*)], align 16
@_ZTSSt11range_error = weak_odr constant [16 x i8] c"St11range_error\00", align 16
@_ZTISt11range_error = weak_odr constant [3 x i8*] [i8* getelementptr (i8, i8* bitcast ([0 x i8*]* @_ZTVN10__cxxabiv120__si_class_type_infoE to i8*), i64 16), i8* getelementptr inbounds ([16 x i8], [16 x i8]* @_ZTSSt11range_error, i32 0, i32 0), i8* bitcast ([3 x i8*]* @_ZTISt13runtime_error to i8*)], align 16
@_ZTVSt11range_error = weak_odr constant [5 x i8*] [i8* null, i8* bitcast ([3 x i8*]* @_ZTISt11range_error to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt11range_errorD1Ev to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt11range_errorD0Ev to i8*), i8* bitcast (i8* (%struct.error*)* @_ZNKSt11range_error4whatEv to i8*)], align 16
@_ZTSSt14overflow_error = weak_odr constant [19 x i8] c"St14overflow_error\00", align 16
@_ZTISt14overflow_error = weak_odr constant [3 x i8*] [i8* getelementptr (i8, i8* bitcast ([0 x i8*]* @_ZTVN10__cxxabiv120__si_class_type_infoE to i8*), i64 16), i8* getelementptr inbounds ([19 x i8], [19 x i8]* @_ZTSSt14overflow_error, i32 0, i32 0), i8* bitcast ([3 x i8*]* @_ZTISt13runtime_error to i8*)], align 16
@_ZTVSt14overflow_error = weak_odr constant [5 x i8*] [i8* null, i8* bitcast ([3 x i8*]* @_ZTISt14overflow_error to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt14overflow_errorD1Ev to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt14overflow_errorD0Ev to i8*), i8* bitcast (i8* (%struct.error*)* @_ZNKSt14overflow_error4whatEv to i8*)], align 16
@_ZTSSt15underflow_error = weak_odr constant [20 x i8] c"St15underflow_error\00", align 16
@_ZTISt15underflow_error = weak_odr constant [3 x i8*] [i8* getelementptr (i8, i8* bitcast ([0 x i8*]* @_ZTVN10__cxxabiv120__si_class_type_infoE to i8*), i64 16), i8* getelementptr inbounds ([20 x i8], [20 x i8]* @_ZTSSt15underflow_error, i32 0, i32 0), i8* bitcast ([3 x i8*]* @_ZTISt13runtime_error to i8*)], align 16
@_ZTVSt15underflow_error = weak_odr constant [5 x i8*] [i8* null, i8* bitcast ([3 x i8*]* @_ZTISt15underflow_error to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt15underflow_errorD1Ev to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt15underflow_errorD0Ev to i8*), i8* bitcast (i8* (%struct.error*)* @_ZNKSt15underflow_error4whatEv to i8*)], align 16
@_ZTSSt12system_error = weak_odr constant [17 x i8] c"St12system_error\00", align 16
@_ZTISt12system_error = weak_odr constant [3 x i8*] [i8* getelementptr (i8, i8* bitcast ([0 x i8*]* @_ZTVN10__cxxabiv120__si_class_type_infoE to i8*), i64 16), i8* getelementptr inbounds ([17 x i8], [17 x i8]* @_ZTSSt12system_error, i32 0, i32 0), i8* bitcast ([3 x i8*]* @_ZTISt13runtime_error to i8*)], align 16
@_ZTVSt12system_error = weak_odr constant [5 x i8*] [i8* null, i8* bitcast ([3 x i8*]* @_ZTISt12system_error to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt12system_errorD1Ev to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt12system_errorD0Ev to i8*), i8* bitcast (i8* (%struct.error*)* @_ZNKSt12system_error4whatEv to i8*)], align 16
@_ZTSSt12future_error = weak_odr constant [17 x i8] c"St12future_error\00", align 16
@_ZTISt12future_error = weak_odr constant [3 x i8*] [i8* getelementptr (i8, i8* bitcast ([0 x i8*]* @_ZTVN10__cxxabiv120__si_class_type_infoE to i8*), i64 16), i8* getelementptr inbounds ([17 x i8], [17 x i8]* @_ZTSSt12future_error, i32 0, i32 0), i8* bitcast ([3 x i8*]* @_ZTISt11logic_error to i8*)], align 16
@_ZTVSt12future_error = weak_odr constant [5 x i8*] [i8* null, i8* bitcast ([3 x i8*]* @_ZTISt12future_error to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt12future_errorD1Ev to i8*), i8* bitcast (void (%struct.error*)* @_ZNSt12future_errorD0Ev to i8*), i8* bitcast (i8* (%struct.error*)* @_ZNKSt12future_error4whatEv to i8*)], align 16
@generic = internal global %struct.category { i8** bitcast (i8* getelementptr (i8, i8* bitcast ([10 x i8*]* @category_table to i8*), i64 16) to i8**) }, align 8
@systems = internal global %struct.category { i8** bitcast (i8* getelementptr (i8, i8* bitcast ([10 x i8*]* @category_table to i8*), i64 16) to i8**) }, align 8
@futures = internal global %struct.category { i8** bitcast (i8* getelementptr (i8, i8* bitcast ([10 x i8*]* @category_table to i8*), i64 16) to i8**) }, align 8
@.str.17 = private constant [13 x i8] c"system error\00", align 1
@.str.18 = private constant [18 x i8] c"std::future_error\00", align 1
@output_table = internal constant [4 x i8*] [i8* inttoptr (i64 8 to i8*), i8* null, i8* null, i8* null], align 16
@_ZSt4cout = weak global %struct.console { i8** bitcast (i8* getelementptr (i8, i8* bitcast ([4 x i8*]* @output_table to i8*), i64 24) to i8**), [280 x i8] zeroinitializer }, align 8
@_ZSt4cerr = weak global %struct.console { i8** bitcast (i8* getelementptr (i8, i8* bitcast ([4 x i8*]* @output_table to i8*), i64 24) to i8**), [280 x i8] zeroinitializer }, align 8
@_ZSt4clog = weak global %struct.console { i8** bitcast (i8* getelementptr (i8, i8* bitcast ([4 x i8*]* @output_table to i8*), i64 24) to i8**), [280 x i8] zeroinitializer }, align 8
@input_table = internal constant [4 x i8*] [i8* inttoptr (i64 16 to i8*), i8* null, i8* null, i8* null], align 16
@_ZSt3cin = weak global %struct.console { i8** bitcast (i8* getelementptr (i8, i8* bitcast ([4 x i8*]* @input_table to i8*), i64 24) to i8**), [280 x i8] zeroinitializer }, align 8
@string_table = internal constant [4 x i8*] [i8* inttoptr (i64 112 to i8*), i8* null, i8* null, i8* null], align 16
@shared_pointers = internal global [5 x i64] zeroinitializer, align 16
@place_of_strtok = internal global i8* null, align 8
@category_table = internal constant [10 x i8*] [i8* null, i8* null, i8* bitcast (void (i8*)* @nothing to i8*), i8* bitcast (void (i8*)* @nothing to i8*), i8* bitcast (i8* (%struct.category*)* @name to i8*), i8* bitcast (void (i8*)* @nothing to i8*), i8* bitcast (void (%struct.string*, %struct.category*, i32)* @message to i8*), i8* bitcast ({ i32, %struct.category* } (%struct.category*, i32)* @condition_of to i8*), i8* bitcast (i1 (%struct.category*, i32, %struct.condition*)* @is_condition to i8*), i8* bitcast (i1 (%struct.category*, %struct.code*, i32)* @is_code to i8*)], align 16
@.str.19 = private constant [6 x i8] c"error\00", align 1
define weak i8* @__cxa_allocate_exception(i64 noundef %0) {
  %2 = add i64 %0, 32
  %3 = call i8* @malloc(i64 noundef %2)
  %4 = getelementptr inbounds i8, i8* %3, i64 16
  %5 = bitcast i8* %4 to i32*
  store i32 0, i32* %5, align 8
  %6 = getelementptr inbounds i8, i8* %3, i64 32
  ret i8* %6
}
declare i8* @malloc(i64 noundef)
define weak void @__cxa_free_exception(i8* noundef %0) {
  %2 = getelementptr inbounds i8, i8* %0, i64 -32
  call void @free(i8* noundef nonnull %2)
  ret void
}
declare void @free(i8* noundef)
define weak i8* @__cxa_init_primary_exception(i8* noundef %0, i8* noundef %1, void (i8*)* noundef %2) {
  %4 = getelementptr inbounds i8, i8* %0, i64 -32
  %5 = bitcast i8* %4 to i8**
  store i8* %1, i8** %5, align 8
  %6 = getelementptr inbounds i8, i8* %0, i64 -24
  %7 = bitcast i8* %6 to void (i8*)**
  store void (i8*)* %2, void (i8*)** %7, align 8
  ret i8* %4
}
define weak void @__cxa_throw(i8* noundef %0, i8* noundef %1, void (i8*)* noundef %2) {
  %4 = call i8* @__cxa_init_primary_exception(i8* noundef %0, i8* noundef %1, void (i8*)* noundef %2)
  %5 = getelementptr inbounds i8, i8* %0, i64 -16
  %6 = bitcast i8* %5 to i32*
  store i32 1, i32* %6, align 8
  call void @__fencewright_throw(i8* noundef %0, i8* noundef %1)
  unreachable
}
declare void @__fencewright_throw(i8* noundef, i8* noundef)
define weak void @__cxa_end_catch() {
  %1 = call i8* @__fencewright_end_catch()
  %2 = icmp eq i8* %1, null
  br i1 %2, label %16, label %3
3:
  %4 = getelementptr inbounds i8, i8* %1, i64 -32
  %5 = getelementptr inbounds i8, i8* %1, i64 -16
  %6 = bitcast i8* %5 to i32*
  %7 = atomicrmw sub i32* %6, i32 1 acq_rel, align 4
  %8 = icmp eq i32 %7, 1
  br i1 %8, label %9, label %16
9:
  %10 = getelementptr inbounds i8, i8* %1, i64 -24
  %11 = bitcast i8* %10 to void (i8*)**
  %12 = load void (i8*)*, void (i8*)** %11, align 8
  %13 = icmp eq void (i8*)* %12, null
  br i1 %13, label %15, label %14
14:
  call void %12(i8* noundef nonnull %1)
  br label %15
15:
  call void @free(i8* noundef nonnull %4)
  br label %16
16:
  ret void
}
declare i8* @__fencewright_end_catch()
define weak void @_ZSt17current_exceptionv(i8** noundef %0) {
  %2 = call i8* @__fencewright_handled()
  store i8* %2, i8** %0, align 8
  %3 = icmp eq i8* %2, null
  br i1 %3, label %8, label %4
4:
  %5 = getelementptr inbounds i8, i8* %2, i64 -16
  %6 = bitcast i8* %5 to i32*
  %7 = atomicrmw add i32* %6, i32 1 acq_rel, align 4
  br label %8
8:
  ret void
}
declare i8* @__fencewright_handled()
define weak void @_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(i8** noundef %0) {
  %2 = load i8*, i8** %0, align 8
  %3 = icmp eq i8* %2, null
  br i1 %3, label %4, label %5
4:
  call void @_ZSt9terminatev()
  br label %9
5:
  %6 = getelementptr inbounds i8, i8* %2, i64 -16
  %7 = bitcast i8* %6 to i32*
  %8 = atomicrmw add i32* %7, i32 1 acq_rel, align 4
  br label %9
9:
  %10 = getelementptr inbounds i8, i8* %2, i64 -32
  %11 = bitcast i8* %10 to i8**
  %12 = load i8*, i8** %11, align 8
  call void @__fencewright_throw(i8* noundef %2, i8* noundef %12)
  unreachable
}
declare void @_ZSt9terminatev()
define weak void @_ZNSt15__exception_ptr13exception_ptrC1EPv(i8** noundef %0, i8* noundef %1) {
  store i8* %1, i8** %0, align 8
  %3 = icmp eq i8* %1, null
  br i1 %3, label %8, label %4
4:
  %5 = getelementptr inbounds i8, i8* %1, i64 -16
  %6 = bitcast i8* %5 to i32*
  %7 = atomicrmw add i32* %6, i32 1 acq_rel, align 4
  br label %8
8:
  ret void
}
define weak void @_ZNSt15__exception_ptr13exception_ptrC2EPv(i8** noundef %0, i8* noundef %1) {
  store i8* %1, i8** %0, align 8
  %3 = icmp eq i8* %1, null
  br i1 %3, label %8, label %4
4:
  %5 = getelementptr inbounds i8, i8* %1, i64 -16
  %6 = bitcast i8* %5 to i32*
  %7 = atomicrmw add i32* %6, i32 1 acq_rel, align 4
  br label %8
8:
  ret void
}
define weak void @_ZNSt15__exception_ptr13exception_ptrC1ERKS0_(i8** noundef %0, i8** noundef %1) {
  %3 = load i8*, i8** %1, align 8
  store i8* %3, i8** %0, align 8
  %4 = icmp eq i8* %3, null
  br i1 %4, label %9, label %5
5:
  %6 = getelementptr inbounds i8, i8* %3, i64 -16
  %7 = bitcast i8* %6 to i32*
  %8 = atomicrmw add i32* %7, i32 1 acq_rel, align 4
  br label %9
9:
  ret void
}
define weak void @_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(i8** noundef %0) {
  %2 = load i8*, i8** %0, align 8
  %3 = icmp eq i8* %2, null
  br i1 %3, label %8, label %4
4:
  %5 = getelementptr inbounds i8, i8* %2, i64 -16
  %6 = bitcast i8* %5 to i32*
  %7 = atomicrmw add i32* %6, i32 1 acq_rel, align 4
  br label %8
8:
  ret void
}
define weak void @_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(i8** noundef %0) {
  %2 = load i8*, i8** %0, align 8
  store i8* null, i8** %0, align 8
  %3 = icmp eq i8* %2, null
  br i1 %3, label %17, label %4
4:
  %5 = getelementptr inbounds i8, i8* %2, i64 -32
  %6 = getelementptr inbounds i8, i8* %2, i64 -16
  %7 = bitcast i8* %6 to i32*
  %8 = atomicrmw sub i32* %7, i32 1 acq_rel, align 4
  %9 = icmp eq i32 %8, 1
  br i1 %9, label %10, label %17
10:
  %11 = getelementptr inbounds i8, i8* %2, i64 -24
  %12 = bitcast i8* %11 to void (i8*)**
  %13 = load void (i8*)*, void (i8*)** %12, align 8
  %14 = icmp eq void (i8*)* %13, null
  br i1 %14, label %16, label %15
15:
  call void %13(i8* noundef nonnull %2)
  br label %16
16:
  call void @free(i8* noundef nonnull %5)
  br label %17
17:
  ret void
}
define weak void @_ZNSt15__exception_ptr13exception_ptrD1Ev(i8** noundef %0) {
  %2 = load i8*, i8** %0, align 8
  %3 = icmp eq i8* %2, null
  br i1 %3, label %17, label %4
4:
  %5 = getelementptr inbounds i8, i8* %2, i64 -32
  %6 = getelementptr inbounds i8, i8* %2, i64 -16
  %7 = bitcast i8* %6 to i32*
  %8 = atomicrmw sub i32* %7, i32 1 acq_rel, align 4
  %9 = icmp eq i32 %8, 1
  br i1 %9, label %10, label %17
10:
  %11 = getelementptr inbounds i8, i8* %2, i64 -24
  %12 = bitcast i8* %11 to void (i8*)**
  %13 = load void (i8*)*, void (i8*)** %12, align 8
  %14 = icmp eq void (i8*)* %13, null
  br i1 %14, label %16, label %15
15:
  call void %13(i8* noundef nonnull %2)
  br label %16
16:
  call void @free(i8* noundef nonnull %5)
  br label %17
17:
  ret void
}
define weak i8* @_ZNKSt15__exception_ptr13exception_ptr20__cxa_exception_typeEv(i8** noundef %0) {
  %2 = bitcast i8** %0 to %struct.head**
  %3 = load %struct.head*, %struct.head** %2, align 8
  %4 = getelementptr inbounds %struct.head, %struct.head* %3, i64 -1, i32 0
  %5 = load i8*, i8** %4, align 8
  ret i8* %5
}
define weak void @_ZNSt15__exception_ptr13exception_ptr4swapERS0_(i8** noundef %0, i8** noundef %1) {
  %3 = load i8*, i8** %0, align 8
  %4 = load i8*, i8** %1, align 8
  store i8* %4, i8** %0, align 8
  store i8* %3, i8** %1, align 8
  ret void
}
define weak i8* @_ZNKSt9exception4whatEv(i8* noundef %0) {
  ret i8* getelementptr inbounds ([15 x i8], [15 x i8]* @.str, i64 0, i64 0)
}
define weak void @_ZNSt9exceptionD1Ev(i8* noundef %0) {
  ret void
}
define weak void @_ZNSt9exceptionD2Ev(i8* noundef %0) {
  ret void
}
define weak void @_ZNSt9exceptionD0Ev(i8* noundef %0) {
  call void @free(i8* noundef %0)
  ret void
}
define weak i8* @_ZNKSt13bad_exception4whatEv(i8* noundef %0) {
  ret i8* getelementptr inbounds ([19 x i8], [19 x i8]* @.str.1, i64 0, i64 0)
}
define weak void @_ZNSt13bad_exceptionD1Ev(i8* noundef %0) {
  ret void
}
define weak void @_ZNSt13bad_exceptionD2Ev(i8* noundef %0) {
  ret void
}
define weak void @_ZNSt13bad_exceptionD0Ev(i8* noundef %0) {
  call void @free(i8* noundef %0)
  ret void
}
define weak i8* @_ZNKSt9bad_alloc4whatEv(i8* noundef %0) {
  ret i8* getelementptr inbounds ([15 x i8], [15 x i8]* @.str.2, i64 0, i64 0)
}
define weak void @_ZNSt9bad_allocD1Ev(i8* noundef %0) {
  ret void
}
define weak void @_ZNSt9bad_allocD2Ev(i8* noundef %0) {
  ret void
}
define weak void @_ZNSt9bad_allocD0Ev(i8* noundef %0) {
  call void @free(i8* noundef %0)
  ret void
}
define weak i8* @_ZNKSt20bad_array_new_length4whatEv(i8* noundef %0) {
  ret i8* getelementptr inbounds ([26 x i8], [26 x i8]* @.str.3, i64 0, i64 0)
}
define weak void @_ZNSt20bad_array_new_lengthD1Ev(i8* noundef %0) {
  ret void
}
define weak void @_ZNSt20bad_array_new_lengthD2Ev(i8* noundef %0) {
  ret void
}
define weak void @_ZNSt20bad_array_new_lengthD0Ev(i8* noundef %0) {
  call void @free(i8* noundef %0)
  ret void
}
define weak i8* @_ZNKSt8bad_cast4whatEv(i8* noundef %0) {
  ret i8* getelementptr inbounds ([14 x i8], [14 x i8]* @.str.4, i64 0, i64 0)
}
define weak void @_ZNSt8bad_castD1Ev(i8* noundef %0) {
  ret void
}
define weak void @_ZNSt8bad_castD2Ev(i8* noundef %0) {
  ret void
}
define weak void @_ZNSt8bad_castD0Ev(i8* noundef %0) {
  call void @free(i8* noundef %0)
  ret void
}
define weak i8* @_ZNKSt10bad_typeid4whatEv(i8* noundef %0) {
  ret i8* getelementptr inbounds ([16 x i8], [16 x i8]* @.str.5, i64 0, i64 0)
}
define weak void @_ZNSt10bad_typeidD1Ev(i8* noundef %0) {
  ret void
}
define weak void @_ZNSt10bad_typeidD2Ev(i8* noundef %0) {
  ret void
}
define weak void @_ZNSt10bad_typeidD0Ev(i8* noundef %0) {
  call void @free(i8* noundef %0)
  ret void
}
define weak i8* @_ZNKSt12bad_weak_ptr4whatEv(i8* noundef %0) {
  ret i8* getelementptr inbounds ([13 x i8], [13 x i8]* @.str.6, i64 0, i64 0)
}
define weak void @_ZNSt12bad_weak_ptrD1Ev(i8* noundef %0) {
  ret void
}
define weak void @_ZNSt12bad_weak_ptrD2Ev(i8* noundef %0) {
  ret void
}
define weak void @_ZNSt12bad_weak_ptrD0Ev(i8* noundef %0) {
  call void @free(i8* noundef %0)
  ret void
}
define weak i8* @_ZNKSt17bad_function_call4whatEv(i8* noundef %0) {
  ret i8* getelementptr inbounds ([18 x i8], [18 x i8]* @.str.7, i64 0, i64 0)
}
define weak void @_ZNSt17bad_function_callD1Ev(i8* noundef %0) {
  ret void
}
define weak void @_ZNSt17bad_function_callD2Ev(i8* noundef %0) {
  ret void
}
define weak void @_ZNSt17bad_function_callD0Ev(i8* noundef %0) {
  call void @free(i8* noundef %0)
  ret void
}
define weak void @_ZNSt11logic_errorC1EPKc(%struct.error* noundef %0, i8* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 0
  store i8** getelementptr inbounds ([5 x i8*], [5 x i8*]* @_ZTVSt11logic_error, i64 0, i64 2), i8*** %3, align 8
  %4 = call i64 @strlen(i8* noundef %1)
  %5 = add i64 %4, 1
  %6 = call i8* @malloc(i64 noundef %5)
  %7 = call i8* @memcpy(i8* noundef %6, i8* noundef %1, i64 noundef %5)
  %8 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  store i8* %7, i8** %8, align 8
  ret void
}
define internal fastcc i8* @copied(i8* noundef %0) {
  %2 = call i64 @strlen(i8* noundef %0)
  %3 = add i64 %2, 1
  %4 = call i8* @malloc(i64 noundef %3)
  %5 = call i8* @memcpy(i8* noundef %4, i8* noundef %0, i64 noundef %3)
  ret i8* %5
}
define weak void @_ZNSt11logic_errorC2EPKc(%struct.error* noundef %0, i8* noundef %1) {
  call void @_ZNSt11logic_errorC1EPKc(%struct.error* noundef %0, i8* noundef %1)
  ret void
}
define weak void @_ZNSt11logic_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(%struct.error* noundef %0, %struct.string* noundef %1) {
  %3 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 0
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt11logic_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt11logic_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(%struct.error* noundef %0, %struct.string* noundef %1) {
  %3 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 0
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt11logic_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt11logic_errorC1ERKS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt11logic_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt11logic_errorC2ERKS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt11logic_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt11logic_errorC1EOS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt11logic_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt11logic_errorC2EOS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt11logic_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak i8* @_ZNKSt11logic_error4whatEv(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  ret i8* %3
}
define weak void @_ZNSt11logic_errorD1Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt11logic_errorD2Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt11logic_errorD0Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  %4 = bitcast %struct.error* %0 to i8*
  call void @free(i8* noundef %4)
  ret void
}
define weak void @_ZNSt12domain_errorC1EPKc(%struct.error* noundef %0, i8* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 0
  store i8** getelementptr inbounds ([5 x i8*], [5 x i8*]* @_ZTVSt12domain_error, i64 0, i64 2), i8*** %3, align 8
  %4 = call i64 @strlen(i8* noundef %1)
  %5 = add i64 %4, 1
  %6 = call i8* @malloc(i64 noundef %5)
  %7 = call i8* @memcpy(i8* noundef %6, i8* noundef %1, i64 noundef %5)
  %8 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  store i8* %7, i8** %8, align 8
  ret void
}
define weak void @_ZNSt12domain_errorC2EPKc(%struct.error* noundef %0, i8* noundef %1) {
  call void @_ZNSt12domain_errorC1EPKc(%struct.error* noundef %0, i8* noundef %1)
  ret void
}
define weak void @_ZNSt12domain_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(%struct.error* noundef %0, %struct.string* noundef %1) {
  %3 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 0
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt12domain_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt12domain_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(%struct.error* noundef %0, %struct.string* noundef %1) {
  %3 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 0
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt12domain_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt12domain_errorC1ERKS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt12domain_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt12domain_errorC2ERKS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt12domain_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt12domain_errorC1EOS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt12domain_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt12domain_errorC2EOS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt12domain_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak i8* @_ZNKSt12domain_error4whatEv(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  ret i8* %3
}
define weak void @_ZNSt12domain_errorD1Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt12domain_errorD2Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt12domain_errorD0Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  %4 = bitcast %struct.error* %0 to i8*
  call void @free(i8* noundef %4)
  ret void
}
define weak void @_ZNSt16invalid_argumentC1EPKc(%struct.error* noundef %0, i8* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 0
  store i8** getelementptr inbounds ([5 x i8*], [5 x i8*]* @_ZTVSt16invalid_argument, i64 0, i64 2), i8*** %3, align 8
  %4 = call i64 @strlen(i8* noundef %1)
  %5 = add i64 %4, 1
  %6 = call i8* @malloc(i64 noundef %5)
  %7 = call i8* @memcpy(i8* noundef %6, i8* noundef %1, i64 noundef %5)
  %8 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  store i8* %7, i8** %8, align 8
  ret void
}
define weak void @_ZNSt16invalid_argumentC2EPKc(%struct.error* noundef %0, i8* noundef %1) {
  call void @_ZNSt16invalid_argumentC1EPKc(%struct.error* noundef %0, i8* noundef %1)
  ret void
}
define weak void @_ZNSt16invalid_argumentC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(%struct.error* noundef %0, %struct.string* noundef %1) {
  %3 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 0
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt16invalid_argumentC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt16invalid_argumentC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(%struct.error* noundef %0, %struct.string* noundef %1) {
  %3 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 0
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt16invalid_argumentC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt16invalid_argumentC1ERKS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt16invalid_argumentC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt16invalid_argumentC2ERKS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt16invalid_argumentC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt16invalid_argumentC1EOS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt16invalid_argumentC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt16invalid_argumentC2EOS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt16invalid_argumentC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak i8* @_ZNKSt16invalid_argument4whatEv(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  ret i8* %3
}
define weak void @_ZNSt16invalid_argumentD1Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt16invalid_argumentD2Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt16invalid_argumentD0Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  %4 = bitcast %struct.error* %0 to i8*
  call void @free(i8* noundef %4)
  ret void
}
define weak void @_ZNSt12length_errorC1EPKc(%struct.error* noundef %0, i8* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 0
  store i8** getelementptr inbounds ([5 x i8*], [5 x i8*]* @_ZTVSt12length_error, i64 0, i64 2), i8*** %3, align 8
  %4 = call i64 @strlen(i8* noundef %1)
  %5 = add i64 %4, 1
  %6 = call i8* @malloc(i64 noundef %5)
  %7 = call i8* @memcpy(i8* noundef %6, i8* noundef %1, i64 noundef %5)
  %8 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  store i8* %7, i8** %8, align 8
  ret void
}
define weak void @_ZNSt12length_errorC2EPKc(%struct.error* noundef %0, i8* noundef %1) {
  call void @_ZNSt12length_errorC1EPKc(%struct.error* noundef %0, i8* noundef %1)
  ret void
}
define weak void @_ZNSt12length_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(%struct.error* noundef %0, %struct.string* noundef %1) {
  %3 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 0
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt12length_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt12length_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(%struct.error* noundef %0, %struct.string* noundef %1) {
  %3 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 0
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt12length_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt12length_errorC1ERKS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt12length_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt12length_errorC2ERKS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt12length_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt12length_errorC1EOS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt12length_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt12length_errorC2EOS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt12length_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak i8* @_ZNKSt12length_error4whatEv(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  ret i8* %3
}
define weak void @_ZNSt12length_errorD1Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt12length_errorD2Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt12length_errorD0Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  %4 = bitcast %struct.error* %0 to i8*
  call void @free(i8* noundef %4)
  ret void
}
define weak void @_ZNSt12out_of_rangeC1EPKc(%struct.error* noundef %0, i8* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 0
  store i8** getelementptr inbounds ([5 x i8*], [5 x i8*]* @_ZTVSt12out_of_range, i64 0, i64 2), i8*** %3, align 8
  %4 = call i64 @strlen(i8* noundef %1)
  %5 = add i64 %4, 1
  %6 = call i8* @malloc(i64 noundef %5)
  %7 = call i8* @memcpy(i8* noundef %6, i8* noundef %1, i64 noundef %5)
  %8 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  store i8* %7, i8** %8, align 8
  ret void
}
define weak void @_ZNSt12out_of_rangeC2EPKc(%struct.error* noundef %0, i8* noundef %1) {
  call void @_ZNSt12out_of_rangeC1EPKc(%struct.error* noundef %0, i8* noundef %1)
  ret void
}
define weak void @_ZNSt12out_of_rangeC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(%struct.error* noundef %0, %struct.string* noundef %1) {
  %3 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 0
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt12out_of_rangeC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt12out_of_rangeC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(%struct.error* noundef %0, %struct.string* noundef %1) {
  %3 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 0
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt12out_of_rangeC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt12out_of_rangeC1ERKS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt12out_of_rangeC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt12out_of_rangeC2ERKS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt12out_of_rangeC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt12out_of_rangeC1EOS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt12out_of_rangeC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt12out_of_rangeC2EOS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt12out_of_rangeC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak i8* @_ZNKSt12out_of_range4whatEv(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  ret i8* %3
}
define weak void @_ZNSt12out_of_rangeD1Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt12out_of_rangeD2Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt12out_of_rangeD0Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  %4 = bitcast %struct.error* %0 to i8*
  call void @free(i8* noundef %4)
  ret void
}
define weak void @_ZNSt13runtime_errorC1EPKc(%struct.error* noundef %0, i8* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 0
  store i8** getelementptr inbounds ([5 x i8*], [5 x i8*]* @_ZTVSt13runtime_error, i64 0, i64 2), i8*** %3, align 8
  %4 = call i64 @strlen(i8* noundef %1)
  %5 = add i64 %4, 1
  %6 = call i8* @malloc(i64 noundef %5)
  %7 = call i8* @memcpy(i8* noundef %6, i8* noundef %1, i64 noundef %5)
  %8 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  store i8* %7, i8** %8, align 8
  ret void
}
define weak void @_ZNSt13runtime_errorC2EPKc(%struct.error* noundef %0, i8* noundef %1) {
  call void @_ZNSt13runtime_errorC1EPKc(%struct.error* noundef %0, i8* noundef %1)
  ret void
}
define weak void @_ZNSt13runtime_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(%struct.error* noundef %0, %struct.string* noundef %1) {
  %3 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 0
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt13runtime_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt13runtime_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(%struct.error* noundef %0, %struct.string* noundef %1) {
  %3 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 0
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt13runtime_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt13runtime_errorC1ERKS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt13runtime_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt13runtime_errorC2ERKS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt13runtime_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt13runtime_errorC1EOS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt13runtime_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt13runtime_errorC2EOS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt13runtime_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak i8* @_ZNKSt13runtime_error4whatEv(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  ret i8* %3
}
define weak void @_ZNSt13runtime_errorD1Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt13runtime_errorD2Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt13runtime_errorD0Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  %4 = bitcast %struct.error* %0 to i8*
  call void @free(i8* noundef %4)
  ret void
}
define weak void @_ZNSt11range_errorC1EPKc(%struct.error* noundef %0, i8* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 0
  store i8** getelementptr inbounds ([5 x i8*], [5 x i8*]* @_ZTVSt11range_error, i64 0, i64 2), i8*** %3, align 8
  %4 = call i64 @strlen(i8* noundef %1)
  %5 = add i64 %4, 1
  %6 = call i8* @malloc(i64 noundef %5)
  %7 = call i8* @memcpy(i8* noundef %6, i8* noundef %1, i64 noundef %5)
  %8 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  store i8* %7, i8** %8, align 8
  ret void
}
define weak void @_ZNSt11range_errorC2EPKc(%struct.error* noundef %0, i8* noundef %1) {
  call void @_ZNSt11range_errorC1EPKc(%struct.error* noundef %0, i8* noundef %1)
  ret void
}
define weak void @_ZNSt11range_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(%struct.error* noundef %0, %struct.string* noundef %1) {
  %3 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 0
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt11range_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt11range_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(%struct.error* noundef %0, %struct.string* noundef %1) {
  %3 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 0
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt11range_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt11range_errorC1ERKS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt11range_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt11range_errorC2ERKS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt11range_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt11range_errorC1EOS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt11range_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt11range_errorC2EOS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt11range_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak i8* @_ZNKSt11range_error4whatEv(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  ret i8* %3
}
define weak void @_ZNSt11range_errorD1Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt11range_errorD2Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt11range_errorD0Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  %4 = bitcast %struct.error* %0 to i8*
  call void @free(i8* noundef %4)
  ret void
}
define weak void @_ZNSt14overflow_errorC1EPKc(%struct.error* noundef %0, i8* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 0
  store i8** getelementptr inbounds ([5 x i8*], [5 x i8*]* @_ZTVSt14overflow_error, i64 0, i64 2), i8*** %3, align 8
  %4 = call i64 @strlen(i8* noundef %1)
  %5 = add i64 %4, 1
  %6 = call i8* @malloc(i64 noundef %5)
  %7 = call i8* @memcpy(i8* noundef %6, i8* noundef %1, i64 noundef %5)
  %8 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  store i8* %7, i8** %8, align 8
  ret void
}
define weak void @_ZNSt14overflow_errorC2EPKc(%struct.error* noundef %0, i8* noundef %1) {
  call void @_ZNSt14overflow_errorC1EPKc(%struct.error* noundef %0, i8* noundef %1)
  ret void
}
define weak void @_ZNSt14overflow_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(%struct.error* noundef %0, %struct.string* noundef %1) {
  %3 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 0
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt14overflow_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt14overflow_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(%struct.error* noundef %0, %struct.string* noundef %1) {
  %3 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 0
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt14overflow_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt14overflow_errorC1ERKS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt14overflow_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt14overflow_errorC2ERKS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt14overflow_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt14overflow_errorC1EOS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt14overflow_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt14overflow_errorC2EOS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt14overflow_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak i8* @_ZNKSt14overflow_error4whatEv(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  ret i8* %3
}
define weak void @_ZNSt14overflow_errorD1Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt14overflow_errorD2Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt14overflow_errorD0Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  %4 = bitcast %struct.error* %0 to i8*
  call void @free(i8* noundef %4)
  ret void
}
define weak void @_ZNSt15underflow_errorC1EPKc(%struct.error* noundef %0, i8* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 0
  store i8** getelementptr inbounds ([5 x i8*], [5 x i8*]* @_ZTVSt15underflow_error, i64 0, i64 2), i8*** %3, align 8
  %4 = call i64 @strlen(i8* noundef %1)
  %5 = add i64 %4, 1
  %6 = call i8* @malloc(i64 noundef %5)
  %7 = call i8* @memcpy(i8* noundef %6, i8* noundef %1, i64 noundef %5)
  %8 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  store i8* %7, i8** %8, align 8
  ret void
}
define weak void @_ZNSt15underflow_errorC2EPKc(%struct.error* noundef %0, i8* noundef %1) {
  call void @_ZNSt15underflow_errorC1EPKc(%struct.error* noundef %0, i8* noundef %1)
  ret void
}
define weak void @_ZNSt15underflow_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(%struct.error* noundef %0, %struct.string* noundef %1) {
  %3 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 0
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt15underflow_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt15underflow_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(%struct.error* noundef %0, %struct.string* noundef %1) {
  %3 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 0
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt15underflow_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt15underflow_errorC1ERKS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt15underflow_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt15underflow_errorC2ERKS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt15underflow_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt15underflow_errorC1EOS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt15underflow_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak void @_ZNSt15underflow_errorC2EOS_(%struct.error* noundef %0, %struct.error* noundef %1) {
  %3 = getelementptr inbounds %struct.error, %struct.error* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  call void @_ZNSt15underflow_errorC1EPKc(%struct.error* noundef %0, i8* noundef %4)
  ret void
}
define weak i8* @_ZNKSt15underflow_error4whatEv(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  ret i8* %3
}
define weak void @_ZNSt15underflow_errorD1Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt15underflow_errorD2Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt15underflow_errorD0Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  %4 = bitcast %struct.error* %0 to i8*
  call void @free(i8* noundef %4)
  ret void
}
define weak i8* @_ZNKSt12system_error4whatEv(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  ret i8* %3
}
define weak void @_ZNSt12system_errorD1Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt12system_errorD2Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt12system_errorD0Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  %4 = bitcast %struct.error* %0 to i8*
  call void @free(i8* noundef %4)
  ret void
}
define weak i8* @_ZNKSt12future_error4whatEv(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  ret i8* %3
}
define weak void @_ZNSt12future_errorD1Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt12future_errorD2Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNSt12future_errorD0Ev(%struct.error* noundef %0) {
  %2 = getelementptr inbounds %struct.error, %struct.error* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  %4 = bitcast %struct.error* %0 to i8*
  call void @free(i8* noundef %4)
  ret void
}
define weak void @_ZSt17__throw_bad_allocv() {
  %1 = call i8* @__cxa_allocate_exception(i64 noundef 8)
  %2 = bitcast i8* %1 to i8***
  store i8** getelementptr inbounds ([5 x i8*], [5 x i8*]* @_ZTVSt9bad_alloc, i64 0, i64 2), i8*** %2, align 8
  call void @__cxa_throw(i8* noundef %1, i8* noundef bitcast ([3 x i8*]* @_ZTISt9bad_alloc to i8*), void (i8*)* noundef nonnull @_ZNSt9bad_allocD1Ev)
  unreachable
}
define weak void @_ZSt28__throw_bad_array_new_lengthv() {
  %1 = call i8* @__cxa_allocate_exception(i64 noundef 8)
  %2 = bitcast i8* %1 to i8***
  store i8** getelementptr inbounds ([5 x i8*], [5 x i8*]* @_ZTVSt20bad_array_new_length, i64 0, i64 2), i8*** %2, align 8
  call void @__cxa_throw(i8* noundef %1, i8* noundef bitcast ([3 x i8*]* @_ZTISt20bad_array_new_length to i8*), void (i8*)* noundef nonnull @_ZNSt20bad_array_new_lengthD1Ev)
  unreachable
}
define weak void @_ZSt16__throw_bad_castv() {
  %1 = call i8* @__cxa_allocate_exception(i64 noundef 8)
  %2 = bitcast i8* %1 to i8***
  store i8** getelementptr inbounds ([5 x i8*], [5 x i8*]* @_ZTVSt8bad_cast, i64 0, i64 2), i8*** %2, align 8
  call void @__cxa_throw(i8* noundef %1, i8* noundef bitcast ([3 x i8*]* @_ZTISt8bad_cast to i8*), void (i8*)* noundef nonnull @_ZNSt8bad_castD1Ev)
  unreachable
}
define weak void @_ZSt18__throw_bad_typeidv() {
  %1 = call i8* @__cxa_allocate_exception(i64 noundef 8)
  %2 = bitcast i8* %1 to i8***
  store i8** getelementptr inbounds ([5 x i8*], [5 x i8*]* @_ZTVSt10bad_typeid, i64 0, i64 2), i8*** %2, align 8
  call void @__cxa_throw(i8* noundef %1, i8* noundef bitcast ([3 x i8*]* @_ZTISt10bad_typeid to i8*), void (i8*)* noundef nonnull @_ZNSt10bad_typeidD1Ev)
  unreachable
}
define weak void @_ZSt21__throw_bad_exceptionv() {
  %1 = call i8* @__cxa_allocate_exception(i64 noundef 8)
  %2 = bitcast i8* %1 to i8***
  store i8** getelementptr inbounds ([5 x i8*], [5 x i8*]* @_ZTVSt13bad_exception, i64 0, i64 2), i8*** %2, align 8
  call void @__cxa_throw(i8* noundef %1, i8* noundef bitcast ([3 x i8*]* @_ZTISt13bad_exception to i8*), void (i8*)* noundef nonnull @_ZNSt13bad_exceptionD1Ev)
  unreachable
}
define weak void @_ZSt25__throw_bad_function_callv() {
  %1 = call i8* @__cxa_allocate_exception(i64 noundef 8)
  %2 = bitcast i8* %1 to i8***
  store i8** getelementptr inbounds ([5 x i8*], [5 x i8*]* @_ZTVSt17bad_function_call, i64 0, i64 2), i8*** %2, align 8
  call void @__cxa_throw(i8* noundef %1, i8* noundef bitcast ([3 x i8*]* @_ZTISt17bad_function_call to i8*), void (i8*)* noundef nonnull @_ZNSt17bad_function_callD1Ev)
  unreachable
}
define weak void @_ZSt19__throw_logic_errorPKc(i8* noundef %0) {
  %2 = call i8* @__cxa_allocate_exception(i64 noundef 16)
  %3 = bitcast i8* %2 to %struct.error*
  call void @_ZNSt11logic_errorC1EPKc(%struct.error* noundef %3, i8* noundef %0)
  call void @__cxa_throw(i8* noundef %2, i8* noundef bitcast ([3 x i8*]* @_ZTISt11logic_error to i8*), void (i8*)* noundef bitcast (void (%struct.error*)* @_ZNSt11logic_errorD1Ev to void (i8*)*))
  unreachable
}
define weak void @_ZSt20__throw_domain_errorPKc(i8* noundef %0) {
  %2 = call i8* @__cxa_allocate_exception(i64 noundef 16)
  %3 = bitcast i8* %2 to %struct.error*
  call void @_ZNSt12domain_errorC1EPKc(%struct.error* noundef %3, i8* noundef %0)
  call void @__cxa_throw(i8* noundef %2, i8* noundef bitcast ([3 x i8*]* @_ZTISt12domain_error to i8*), void (i8*)* noundef bitcast (void (%struct.error*)* @_ZNSt12domain_errorD1Ev to void (i8*)*))
  unreachable
}
define weak void @_ZSt24__throw_invalid_argumentPKc(i8* noundef %0) {
  %2 = call i8* @__cxa_allocate_exception(i64 noundef 16)
  %3 = bitcast i8* %2 to %struct.error*
  call void @_ZNSt16invalid_argumentC1EPKc(%struct.error* noundef %3, i8* noundef %0)
  call void @__cxa_throw(i8* noundef %2, i8* noundef bitcast ([3 x i8*]* @_ZTISt16invalid_argument to i8*), void (i8*)* noundef bitcast (void (%struct.error*)* @_ZNSt16invalid_argumentD1Ev to void (i8*)*))
  unreachable
}
define weak void @_ZSt20__throw_length_errorPKc(i8* noundef %0) {
  %2 = call i8* @__cxa_allocate_exception(i64 noundef 16)
  %3 = bitcast i8* %2 to %struct.error*
  call void @_ZNSt12length_errorC1EPKc(%struct.error* noundef %3, i8* noundef %0)
  call void @__cxa_throw(i8* noundef %2, i8* noundef bitcast ([3 x i8*]* @_ZTISt12length_error to i8*), void (i8*)* noundef bitcast (void (%struct.error*)* @_ZNSt12length_errorD1Ev to void (i8*)*))
  unreachable
}
define weak void @_ZSt20__throw_out_of_rangePKc(i8* noundef %0) {
  %2 = call i8* @__cxa_allocate_exception(i64 noundef 16)
  %3 = bitcast i8* %2 to %struct.error*
  call void @_ZNSt12out_of_rangeC1EPKc(%struct.error* noundef %3, i8* noundef %0)
  call void @__cxa_throw(i8* noundef %2, i8* noundef bitcast ([3 x i8*]* @_ZTISt12out_of_range to i8*), void (i8*)* noundef bitcast (void (%struct.error*)* @_ZNSt12out_of_rangeD1Ev to void (i8*)*))
  unreachable
}
define weak void @_ZSt21__throw_runtime_errorPKc(i8* noundef %0) {
  %2 = call i8* @__cxa_allocate_exception(i64 noundef 16)
  %3 = bitcast i8* %2 to %struct.error*
  call void @_ZNSt13runtime_errorC1EPKc(%struct.error* noundef %3, i8* noundef %0)
  call void @__cxa_throw(i8* noundef %2, i8* noundef bitcast ([3 x i8*]* @_ZTISt13runtime_error to i8*), void (i8*)* noundef bitcast (void (%struct.error*)* @_ZNSt13runtime_errorD1Ev to void (i8*)*))
  unreachable
}
define weak void @_ZSt19__throw_range_errorPKc(i8* noundef %0) {
  %2 = call i8* @__cxa_allocate_exception(i64 noundef 16)
  %3 = bitcast i8* %2 to %struct.error*
  call void @_ZNSt11range_errorC1EPKc(%struct.error* noundef %3, i8* noundef %0)
  call void @__cxa_throw(i8* noundef %2, i8* noundef bitcast ([3 x i8*]* @_ZTISt11range_error to i8*), void (i8*)* noundef bitcast (void (%struct.error*)* @_ZNSt11range_errorD1Ev to void (i8*)*))
  unreachable
}
define weak void @_ZSt22__throw_overflow_errorPKc(i8* noundef %0) {
  %2 = call i8* @__cxa_allocate_exception(i64 noundef 16)
  %3 = bitcast i8* %2 to %struct.error*
  call void @_ZNSt14overflow_errorC1EPKc(%struct.error* noundef %3, i8* noundef %0)
  call void @__cxa_throw(i8* noundef %2, i8* noundef bitcast ([3 x i8*]* @_ZTISt14overflow_error to i8*), void (i8*)* noundef bitcast (void (%struct.error*)* @_ZNSt14overflow_errorD1Ev to void (i8*)*))
  unreachable
}
define weak void @_ZSt23__throw_underflow_errorPKc(i8* noundef %0) {
  %2 = call i8* @__cxa_allocate_exception(i64 noundef 16)
  %3 = bitcast i8* %2 to %struct.error*
  call void @_ZNSt15underflow_errorC1EPKc(%struct.error* noundef %3, i8* noundef %0)
  call void @__cxa_throw(i8* noundef %2, i8* noundef bitcast ([3 x i8*]* @_ZTISt15underflow_error to i8*), void (i8*)* noundef bitcast (void (%struct.error*)* @_ZNSt15underflow_errorD1Ev to void (i8*)*))
  unreachable
}
define weak void @_ZSt24__throw_out_of_range_fmtPKcz(i8* noundef %0, ...) {
  call void @_ZSt20__throw_out_of_rangePKc(i8* noundef %0)
  unreachable
}
define weak void @__cxa_bad_cast() {
  call void @_ZSt16__throw_bad_castv()
  unreachable
}
define weak void @__cxa_bad_typeid() {
  call void @_ZSt18__throw_bad_typeidv()
  unreachable
}
define weak void @__cxa_throw_bad_array_new_length() {
  call void @_ZSt28__throw_bad_array_new_lengthv()
  unreachable
}
define weak void @_ZNSt3_V214error_categoryD2Ev(%struct.category* noundef %0) {
  ret void
}
define weak %struct.category* @_ZNSt3_V216generic_categoryEv() {
  ret %struct.category* @generic
}
define weak %struct.category* @_ZNSt3_V215system_categoryEv() {
  ret %struct.category* @systems
}
define weak %struct.category* @_ZSt15future_categoryv() {
  ret %struct.category* @futures
}
define weak void @_ZSt20__throw_system_errori(i32 noundef %0) {
  %2 = call i8* @__cxa_allocate_exception(i64 noundef 32)
  %3 = bitcast i8* %2 to i8***
  store i8** getelementptr inbounds ([5 x i8*], [5 x i8*]* @_ZTVSt12system_error, i64 0, i64 2), i8*** %3, align 8
  %4 = call fastcc i8* @copied(i8* noundef getelementptr inbounds ([13 x i8], [13 x i8]* @.str.17, i64 0, i64 0))
  %5 = getelementptr inbounds i8, i8* %2, i64 8
  %6 = bitcast i8* %5 to i8**
  store i8* %4, i8** %6, align 8
  %7 = getelementptr inbounds i8, i8* %2, i64 16
  %8 = bitcast i8* %7 to i32*
  store i32 %0, i32* %8, align 8
  %9 = getelementptr inbounds i8, i8* %2, i64 24
  %10 = bitcast i8* %9 to %struct.category**
  store %struct.category* @generic, %struct.category** %10, align 8
  call void @__cxa_throw(i8* noundef %2, i8* noundef bitcast ([3 x i8*]* @_ZTISt12system_error to i8*), void (i8*)* noundef bitcast (void (%struct.error*)* @_ZNSt12system_errorD1Ev to void (i8*)*))
  unreachable
}
declare void @llvm.memcpy.p0i8.p0i8.i64(i8* noalias nocapture writeonly, i8* noalias nocapture readonly, i64, i1 immarg)
define weak void @_ZSt20__throw_future_errori(i32 noundef %0) {
  %2 = call i8* @__cxa_allocate_exception(i64 noundef 32)
  %3 = bitcast i8* %2 to i8***
  store i8** getelementptr inbounds ([5 x i8*], [5 x i8*]* @_ZTVSt12future_error, i64 0, i64 2), i8*** %3, align 8
  %4 = call fastcc i8* @copied(i8* noundef getelementptr inbounds ([18 x i8], [18 x i8]* @.str.18, i64 0, i64 0))
  %5 = getelementptr inbounds i8, i8* %2, i64 8
  %6 = bitcast i8* %5 to i8**
  store i8* %4, i8** %6, align 8
  %7 = getelementptr inbounds i8, i8* %2, i64 16
  %8 = bitcast i8* %7 to i32*
  store i32 %0, i32* %8, align 8
  %9 = getelementptr inbounds i8, i8* %2, i64 24
  %10 = bitcast i8* %9 to %struct.category**
  store %struct.category* @futures, %struct.category** %10, align 8
  call void @__cxa_throw(i8* noundef %2, i8* noundef bitcast ([3 x i8*]* @_ZTISt12future_error to i8*), void (i8*)* noundef bitcast (void (%struct.error*)* @_ZNSt12future_errorD1Ev to void (i8*)*))
  unreachable
}
define weak void @_ZNSt13__future_base12_Result_baseC2Ev(i8** noundef %0) {
  %2 = getelementptr inbounds i8*, i8** %0, i64 1
  store i8* null, i8** %2, align 8
  ret void
}
define weak void @_ZNSt13__future_base12_Result_baseD2Ev(i8** noundef %0) {
  %2 = getelementptr inbounds i8*, i8** %0, i64 1
  %3 = load i8*, i8** %2, align 8
  %4 = icmp eq i8* %3, null
  br i1 %4, label %18, label %5
5:
  %6 = getelementptr inbounds i8, i8* %3, i64 -32
  %7 = getelementptr inbounds i8, i8* %3, i64 -16
  %8 = bitcast i8* %7 to i32*
  %9 = atomicrmw sub i32* %8, i32 1 acq_rel, align 4
  %10 = icmp eq i32 %9, 1
  br i1 %10, label %11, label %18
11:
  %12 = getelementptr inbounds i8, i8* %3, i64 -24
  %13 = bitcast i8* %12 to void (i8*)**
  %14 = load void (i8*)*, void (i8*)** %13, align 8
  %15 = icmp eq void (i8*)* %14, null
  br i1 %15, label %17, label %16
16:
  call void %14(i8* noundef nonnull %3)
  br label %17
17:
  call void @free(i8* noundef nonnull %6)
  br label %18
18:
  ret void
}
define weak void @_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(i1 noundef zeroext %0, %struct.node* noundef %1, %struct.node* noundef %2, %struct.node* noundef %3) {
  %5 = getelementptr inbounds %struct.node, %struct.node* %1, i64 0, i32 2
  store %struct.node* %2, %struct.node** %5, align 8
  %6 = getelementptr inbounds %struct.node, %struct.node* %1, i64 0, i32 4
  store %struct.node* null, %struct.node** %6, align 8
  %7 = getelementptr inbounds %struct.node, %struct.node* %1, i64 0, i32 3
  store %struct.node* null, %struct.node** %7, align 8
  %8 = getelementptr inbounds %struct.node, %struct.node* %1, i64 0, i32 0
  store i32 1, i32* %8, align 8
  br i1 %0, label %9, label %19
9:
  %10 = getelementptr inbounds %struct.node, %struct.node* %2, i64 0, i32 3
  store %struct.node* %1, %struct.node** %10, align 8
  %11 = icmp eq %struct.node* %2, %3
  br i1 %11, label %12, label %15
12:
  %13 = getelementptr inbounds %struct.node, %struct.node* %3, i64 0, i32 2
  store %struct.node* %1, %struct.node** %13, align 8
  %14 = getelementptr inbounds %struct.node, %struct.node* %3, i64 0, i32 4
  br label %24
15:
  %16 = getelementptr inbounds %struct.node, %struct.node* %3, i64 0, i32 3
  %17 = load %struct.node*, %struct.node** %16, align 8
  %18 = icmp eq %struct.node* %17, %2
  br i1 %18, label %24, label %26
19:
  %20 = getelementptr inbounds %struct.node, %struct.node* %2, i64 0, i32 4
  store %struct.node* %1, %struct.node** %20, align 8
  %21 = getelementptr inbounds %struct.node, %struct.node* %3, i64 0, i32 4
  %22 = load %struct.node*, %struct.node** %21, align 8
  %23 = icmp eq %struct.node* %22, %2
  br i1 %23, label %24, label %26
24:
  %25 = phi %struct.node** [ %14, %12 ], [ %16, %15 ], [ %21, %19 ]
  store %struct.node* %1, %struct.node** %25, align 8
  br label %26
26:
  ret void
}
define weak %struct.node* @_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(%struct.node* noundef %0) {
  %2 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 4
  %3 = load %struct.node*, %struct.node** %2, align 8
  %4 = icmp eq %struct.node* %3, null
  br i1 %4, label %10, label %5
5:
  %6 = phi %struct.node* [ %8, %5 ], [ %3, %1 ]
  %7 = getelementptr inbounds %struct.node, %struct.node* %6, i64 0, i32 3
  %8 = load %struct.node*, %struct.node** %7, align 8
  %9 = icmp eq %struct.node* %8, null
  br i1 %9, label %22, label %5
10:
  %11 = phi %struct.node* [ %13, %10 ], [ %0, %1 ]
  %12 = getelementptr inbounds %struct.node, %struct.node* %11, i64 0, i32 2
  %13 = load %struct.node*, %struct.node** %12, align 8
  %14 = getelementptr inbounds %struct.node, %struct.node* %13, i64 0, i32 4
  %15 = load %struct.node*, %struct.node** %14, align 8
  %16 = icmp eq %struct.node* %11, %15
  br i1 %16, label %10, label %17
17:
  %18 = getelementptr inbounds %struct.node, %struct.node* %11, i64 0, i32 4
  %19 = load %struct.node*, %struct.node** %18, align 8
  %20 = icmp eq %struct.node* %19, %13
  %21 = select i1 %20, %struct.node* %11, %struct.node* %13
  br label %22
22:
  %23 = phi %struct.node* [ %21, %17 ], [ %6, %5 ]
  ret %struct.node* %23
}
define weak %struct.node* @_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(%struct.node* noundef %0) {
  %2 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 4
  %3 = load %struct.node*, %struct.node** %2, align 8
  %4 = icmp eq %struct.node* %3, null
  br i1 %4, label %10, label %5
5:
  %6 = phi %struct.node* [ %8, %5 ], [ %3, %1 ]
  %7 = getelementptr inbounds %struct.node, %struct.node* %6, i64 0, i32 3
  %8 = load %struct.node*, %struct.node** %7, align 8
  %9 = icmp eq %struct.node* %8, null
  br i1 %9, label %22, label %5
10:
  %11 = phi %struct.node* [ %13, %10 ], [ %0, %1 ]
  %12 = getelementptr inbounds %struct.node, %struct.node* %11, i64 0, i32 2
  %13 = load %struct.node*, %struct.node** %12, align 8
  %14 = getelementptr inbounds %struct.node, %struct.node* %13, i64 0, i32 4
  %15 = load %struct.node*, %struct.node** %14, align 8
  %16 = icmp eq %struct.node* %11, %15
  br i1 %16, label %10, label %17
17:
  %18 = getelementptr inbounds %struct.node, %struct.node* %11, i64 0, i32 4
  %19 = load %struct.node*, %struct.node** %18, align 8
  %20 = icmp eq %struct.node* %19, %13
  %21 = select i1 %20, %struct.node* %11, %struct.node* %13
  br label %22
22:
  %23 = phi %struct.node* [ %21, %17 ], [ %6, %5 ]
  ret %struct.node* %23
}
define weak %struct.node* @_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(%struct.node* noundef %0) {
  %2 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 0
  %3 = load i32, i32* %2, align 8
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %5, label %14
5:
  %6 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 2
  %7 = load %struct.node*, %struct.node** %6, align 8
  %8 = getelementptr inbounds %struct.node, %struct.node* %7, i64 0, i32 2
  %9 = load %struct.node*, %struct.node** %8, align 8
  %10 = icmp eq %struct.node* %9, %0
  br i1 %10, label %11, label %14
11:
  %12 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 4
  %13 = load %struct.node*, %struct.node** %12, align 8
  br label %30
14:
  %15 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 3
  %16 = load %struct.node*, %struct.node** %15, align 8
  %17 = icmp eq %struct.node* %16, null
  br i1 %17, label %23, label %18
18:
  %19 = phi %struct.node* [ %21, %18 ], [ %16, %14 ]
  %20 = getelementptr inbounds %struct.node, %struct.node* %19, i64 0, i32 4
  %21 = load %struct.node*, %struct.node** %20, align 8
  %22 = icmp eq %struct.node* %21, null
  br i1 %22, label %30, label %18
23:
  %24 = phi %struct.node* [ %26, %23 ], [ %0, %14 ]
  %25 = getelementptr inbounds %struct.node, %struct.node* %24, i64 0, i32 2
  %26 = load %struct.node*, %struct.node** %25, align 8
  %27 = getelementptr inbounds %struct.node, %struct.node* %26, i64 0, i32 3
  %28 = load %struct.node*, %struct.node** %27, align 8
  %29 = icmp eq %struct.node* %24, %28
  br i1 %29, label %23, label %30
30:
  %31 = phi %struct.node* [ %13, %11 ], [ %26, %23 ], [ %19, %18 ]
  ret %struct.node* %31
}
define weak %struct.node* @_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(%struct.node* noundef %0) {
  %2 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 0
  %3 = load i32, i32* %2, align 8
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %5, label %14
5:
  %6 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 2
  %7 = load %struct.node*, %struct.node** %6, align 8
  %8 = getelementptr inbounds %struct.node, %struct.node* %7, i64 0, i32 2
  %9 = load %struct.node*, %struct.node** %8, align 8
  %10 = icmp eq %struct.node* %9, %0
  br i1 %10, label %11, label %14
11:
  %12 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 4
  %13 = load %struct.node*, %struct.node** %12, align 8
  br label %30
14:
  %15 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 3
  %16 = load %struct.node*, %struct.node** %15, align 8
  %17 = icmp eq %struct.node* %16, null
  br i1 %17, label %23, label %18
18:
  %19 = phi %struct.node* [ %21, %18 ], [ %16, %14 ]
  %20 = getelementptr inbounds %struct.node, %struct.node* %19, i64 0, i32 4
  %21 = load %struct.node*, %struct.node** %20, align 8
  %22 = icmp eq %struct.node* %21, null
  br i1 %22, label %30, label %18
23:
  %24 = phi %struct.node* [ %26, %23 ], [ %0, %14 ]
  %25 = getelementptr inbounds %struct.node, %struct.node* %24, i64 0, i32 2
  %26 = load %struct.node*, %struct.node** %25, align 8
  %27 = getelementptr inbounds %struct.node, %struct.node* %26, i64 0, i32 3
  %28 = load %struct.node*, %struct.node** %27, align 8
  %29 = icmp eq %struct.node* %24, %28
  br i1 %29, label %23, label %30
30:
  %31 = phi %struct.node* [ %13, %11 ], [ %26, %23 ], [ %19, %18 ]
  ret %struct.node* %31
}
define weak %struct.node* @_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(%struct.node* noundef %0, %struct.node* noundef %1) {
  %3 = getelementptr inbounds %struct.node, %struct.node* %1, i64 0, i32 3
  %4 = load %struct.node*, %struct.node** %3, align 8
  %5 = icmp eq %struct.node* %4, %0
  br i1 %5, label %6, label %29
6:
  %7 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 4
  %8 = load %struct.node*, %struct.node** %7, align 8
  %9 = icmp eq %struct.node* %8, null
  br i1 %9, label %15, label %10
10:
  %11 = phi %struct.node* [ %13, %10 ], [ %8, %6 ]
  %12 = getelementptr inbounds %struct.node, %struct.node* %11, i64 0, i32 3
  %13 = load %struct.node*, %struct.node** %12, align 8
  %14 = icmp eq %struct.node* %13, null
  br i1 %14, label %27, label %10
15:
  %16 = phi %struct.node* [ %18, %15 ], [ %0, %6 ]
  %17 = getelementptr inbounds %struct.node, %struct.node* %16, i64 0, i32 2
  %18 = load %struct.node*, %struct.node** %17, align 8
  %19 = getelementptr inbounds %struct.node, %struct.node* %18, i64 0, i32 4
  %20 = load %struct.node*, %struct.node** %19, align 8
  %21 = icmp eq %struct.node* %16, %20
  br i1 %21, label %15, label %22
22:
  %23 = getelementptr inbounds %struct.node, %struct.node* %16, i64 0, i32 4
  %24 = load %struct.node*, %struct.node** %23, align 8
  %25 = icmp eq %struct.node* %24, %18
  %26 = select i1 %25, %struct.node* %16, %struct.node* %18
  br label %27
27:
  %28 = phi %struct.node* [ %26, %22 ], [ %11, %10 ]
  store %struct.node* %28, %struct.node** %3, align 8
  br label %29
29:
  %30 = getelementptr inbounds %struct.node, %struct.node* %1, i64 0, i32 4
  %31 = load %struct.node*, %struct.node** %30, align 8
  %32 = icmp eq %struct.node* %31, %0
  br i1 %32, label %33, label %64
33:
  %34 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 0
  %35 = load i32, i32* %34, align 8
  %36 = icmp eq i32 %35, 0
  br i1 %36, label %37, label %46
37:
  %38 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 2
  %39 = load %struct.node*, %struct.node** %38, align 8
  %40 = getelementptr inbounds %struct.node, %struct.node* %39, i64 0, i32 2
  %41 = load %struct.node*, %struct.node** %40, align 8
  %42 = icmp eq %struct.node* %41, %0
  br i1 %42, label %43, label %46
43:
  %44 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 4
  %45 = load %struct.node*, %struct.node** %44, align 8
  br label %62
46:
  %47 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 3
  %48 = load %struct.node*, %struct.node** %47, align 8
  %49 = icmp eq %struct.node* %48, null
  br i1 %49, label %55, label %50
50:
  %51 = phi %struct.node* [ %53, %50 ], [ %48, %46 ]
  %52 = getelementptr inbounds %struct.node, %struct.node* %51, i64 0, i32 4
  %53 = load %struct.node*, %struct.node** %52, align 8
  %54 = icmp eq %struct.node* %53, null
  br i1 %54, label %62, label %50
55:
  %56 = phi %struct.node* [ %58, %55 ], [ %0, %46 ]
  %57 = getelementptr inbounds %struct.node, %struct.node* %56, i64 0, i32 2
  %58 = load %struct.node*, %struct.node** %57, align 8
  %59 = getelementptr inbounds %struct.node, %struct.node* %58, i64 0, i32 3
  %60 = load %struct.node*, %struct.node** %59, align 8
  %61 = icmp eq %struct.node* %56, %60
  br i1 %61, label %55, label %62
62:
  %63 = phi %struct.node* [ %45, %43 ], [ %58, %55 ], [ %51, %50 ]
  store %struct.node* %63, %struct.node** %30, align 8
  br label %64
64:
  %65 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 3
  %66 = load %struct.node*, %struct.node** %65, align 8
  %67 = icmp eq %struct.node* %66, null
  %68 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 4
  %69 = load %struct.node*, %struct.node** %68, align 8
  br i1 %67, label %70, label %85
70:
  %71 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 2
  %72 = load %struct.node*, %struct.node** %71, align 8
  %73 = icmp eq %struct.node* %72, %1
  br i1 %73, label %74, label %76
74:
  %75 = getelementptr inbounds %struct.node, %struct.node* %1, i64 0, i32 2
  br label %82
76:
  %77 = getelementptr inbounds %struct.node, %struct.node* %72, i64 0, i32 3
  %78 = load %struct.node*, %struct.node** %77, align 8
  %79 = icmp eq %struct.node* %78, %0
  %80 = getelementptr inbounds %struct.node, %struct.node* %72, i64 0, i32 4
  %81 = select i1 %79, %struct.node** %77, %struct.node** %80
  br label %82
82:
  %83 = phi %struct.node** [ %75, %74 ], [ %81, %76 ]
  store %struct.node* %69, %struct.node** %83, align 8
  %84 = icmp eq %struct.node* %69, null
  br i1 %84, label %154, label %150
85:
  %86 = icmp eq %struct.node* %69, null
  br i1 %86, label %87, label %101
87:
  %88 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 2
  %89 = load %struct.node*, %struct.node** %88, align 8
  %90 = icmp eq %struct.node* %89, %1
  br i1 %90, label %91, label %93
91:
  %92 = getelementptr inbounds %struct.node, %struct.node* %1, i64 0, i32 2
  br label %99
93:
  %94 = getelementptr inbounds %struct.node, %struct.node* %89, i64 0, i32 3
  %95 = load %struct.node*, %struct.node** %94, align 8
  %96 = icmp eq %struct.node* %95, %0
  %97 = getelementptr inbounds %struct.node, %struct.node* %89, i64 0, i32 4
  %98 = select i1 %96, %struct.node** %94, %struct.node** %97
  br label %99
99:
  %100 = phi %struct.node** [ %92, %91 ], [ %98, %93 ]
  store %struct.node* %66, %struct.node** %100, align 8
  br label %150
101:
  %102 = phi %struct.node* [ %104, %101 ], [ %69, %85 ]
  %103 = getelementptr inbounds %struct.node, %struct.node* %102, i64 0, i32 3
  %104 = load %struct.node*, %struct.node** %103, align 8
  %105 = icmp eq %struct.node* %104, null
  br i1 %105, label %106, label %101
106:
  %107 = getelementptr inbounds %struct.node, %struct.node* %102, i64 0, i32 3
  %108 = icmp eq %struct.node* %102, %69
  br i1 %108, label %131, label %109
109:
  %110 = getelementptr inbounds %struct.node, %struct.node* %102, i64 0, i32 4
  %111 = load %struct.node*, %struct.node** %110, align 8
  %112 = getelementptr inbounds %struct.node, %struct.node* %102, i64 0, i32 2
  %113 = load %struct.node*, %struct.node** %112, align 8
  %114 = icmp eq %struct.node* %113, %1
  br i1 %114, label %115, label %117
115:
  %116 = getelementptr inbounds %struct.node, %struct.node* %1, i64 0, i32 2
  br label %123
117:
  %118 = getelementptr inbounds %struct.node, %struct.node* %113, i64 0, i32 3
  %119 = load %struct.node*, %struct.node** %118, align 8
  %120 = icmp eq %struct.node* %119, %102
  %121 = getelementptr inbounds %struct.node, %struct.node* %113, i64 0, i32 4
  %122 = select i1 %120, %struct.node** %118, %struct.node** %121
  br label %123
123:
  %124 = phi %struct.node** [ %116, %115 ], [ %122, %117 ]
  store %struct.node* %111, %struct.node** %124, align 8
  %125 = icmp eq %struct.node* %111, null
  br i1 %125, label %128, label %126
126:
  %127 = getelementptr inbounds %struct.node, %struct.node* %111, i64 0, i32 2
  store %struct.node* %113, %struct.node** %127, align 8
  br label %128
128:
  %129 = load %struct.node*, %struct.node** %68, align 8
  store %struct.node* %129, %struct.node** %110, align 8
  %130 = getelementptr inbounds %struct.node, %struct.node* %129, i64 0, i32 2
  store %struct.node* %102, %struct.node** %130, align 8
  br label %131
131:
  %132 = getelementptr inbounds %struct.node, %struct.node* %0, i64 0, i32 2
  %133 = load %struct.node*, %struct.node** %132, align 8
  %134 = icmp eq %struct.node* %133, %1
  br i1 %134, label %135, label %137
135:
  %136 = getelementptr inbounds %struct.node, %struct.node* %1, i64 0, i32 2
  br label %143
137:
  %138 = getelementptr inbounds %struct.node, %struct.node* %133, i64 0, i32 3
  %139 = load %struct.node*, %struct.node** %138, align 8
  %140 = icmp eq %struct.node* %139, %0
  %141 = getelementptr inbounds %struct.node, %struct.node* %133, i64 0, i32 4
  %142 = select i1 %140, %struct.node** %138, %struct.node** %141
  br label %143
143:
  %144 = phi %struct.node** [ %136, %135 ], [ %142, %137 ]
  store %struct.node* %102, %struct.node** %144, align 8
  %145 = icmp eq %struct.node* %102, null
  br i1 %145, label %148, label %146
146:
  %147 = getelementptr inbounds %struct.node, %struct.node* %102, i64 0, i32 2
  store %struct.node* %133, %struct.node** %147, align 8
  br label %148
148:
  %149 = load %struct.node*, %struct.node** %65, align 8
  store %struct.node* %149, %struct.node** %107, align 8
  br label %150
150:
  %151 = phi %struct.node* [ %66, %99 ], [ %149, %148 ], [ %69, %82 ]
  %152 = phi %struct.node* [ %89, %99 ], [ %102, %148 ], [ %72, %82 ]
  %153 = getelementptr inbounds %struct.node, %struct.node* %151, i64 0, i32 2
  store %struct.node* %152, %struct.node** %153, align 8
  br label %154
154:
  %155 = getelementptr inbounds %struct.node, %struct.node* %1, i64 0, i32 2
  %156 = load %struct.node*, %struct.node** %155, align 8
  %157 = icmp eq %struct.node* %156, null
  br i1 %157, label %158, label %159
158:
  store %struct.node* %1, %struct.node** %30, align 8
  store %struct.node* %1, %struct.node** %3, align 8
  br label %159
159:
  ret %struct.node* %0
}
define weak void @_ZNSt8__detail15_List_node_base7_M_hookEPS0_(%struct.link* noundef %0, %struct.link* noundef %1) {
  %3 = getelementptr inbounds %struct.link, %struct.link* %0, i64 0, i32 0
  store %struct.link* %1, %struct.link** %3, align 8
  %4 = getelementptr inbounds %struct.link, %struct.link* %1, i64 0, i32 1
  %5 = load %struct.link*, %struct.link** %4, align 8
  %6 = getelementptr inbounds %struct.link, %struct.link* %0, i64 0, i32 1
  store %struct.link* %5, %struct.link** %6, align 8
  %7 = load %struct.link*, %struct.link** %4, align 8
  %8 = getelementptr inbounds %struct.link, %struct.link* %7, i64 0, i32 0
  store %struct.link* %0, %struct.link** %8, align 8
  store %struct.link* %0, %struct.link** %4, align 8
  ret void
}
define weak void @_ZNSt8__detail15_List_node_base9_M_unhookEv(%struct.link* noundef %0) {
  %2 = getelementptr inbounds %struct.link, %struct.link* %0, i64 0, i32 0
  %3 = load %struct.link*, %struct.link** %2, align 8
  %4 = getelementptr inbounds %struct.link, %struct.link* %0, i64 0, i32 1
  %5 = load %struct.link*, %struct.link** %4, align 8
  %6 = getelementptr inbounds %struct.link, %struct.link* %5, i64 0, i32 0
  store %struct.link* %3, %struct.link** %6, align 8
  %7 = load %struct.link*, %struct.link** %2, align 8
  %8 = getelementptr inbounds %struct.link, %struct.link* %7, i64 0, i32 1
  store %struct.link* %5, %struct.link** %8, align 8
  ret void
}
define weak void @_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(%struct.link* noundef %0, %struct.link* noundef %1, %struct.link* noundef %2) {
  %4 = icmp eq %struct.link* %0, %2
  br i1 %4, label %16, label %5
5:
  %6 = getelementptr inbounds %struct.link, %struct.link* %2, i64 0, i32 1
  %7 = load %struct.link*, %struct.link** %6, align 8
  %8 = getelementptr inbounds %struct.link, %struct.link* %7, i64 0, i32 0
  store %struct.link* %0, %struct.link** %8, align 8
  %9 = getelementptr inbounds %struct.link, %struct.link* %1, i64 0, i32 1
  %10 = load %struct.link*, %struct.link** %9, align 8
  %11 = getelementptr inbounds %struct.link, %struct.link* %10, i64 0, i32 0
  store %struct.link* %2, %struct.link** %11, align 8
  %12 = getelementptr inbounds %struct.link, %struct.link* %0, i64 0, i32 1
  %13 = load %struct.link*, %struct.link** %12, align 8
  %14 = getelementptr inbounds %struct.link, %struct.link* %13, i64 0, i32 0
  store %struct.link* %1, %struct.link** %14, align 8
  store %struct.link* %7, %struct.link** %12, align 8
  %15 = load %struct.link*, %struct.link** %9, align 8
  store %struct.link* %15, %struct.link** %6, align 8
  store %struct.link* %13, %struct.link** %9, align 8
  br label %16
16:
  ret void
}
define weak void @_ZNSt8__detail15_List_node_base10_M_reverseEv(%struct.link* noundef %0) {
  br label %2
2:
  %3 = phi %struct.link* [ %0, %1 ], [ %5, %2 ]
  %4 = getelementptr inbounds %struct.link, %struct.link* %3, i64 0, i32 0
  %5 = load %struct.link*, %struct.link** %4, align 8
  %6 = getelementptr inbounds %struct.link, %struct.link* %3, i64 0, i32 1
  %7 = load %struct.link*, %struct.link** %6, align 8
  store %struct.link* %7, %struct.link** %4, align 8
  store %struct.link* %5, %struct.link** %6, align 8
  %8 = icmp eq %struct.link* %5, %0
  br i1 %8, label %9, label %2
9:
  ret void
}
define weak void @_ZNSt8__detail15_List_node_base4swapERS0_S1_(%struct.link* noundef %0, %struct.link* noundef %1) {
  %3 = alloca %struct.link, align 8
  %4 = bitcast %struct.link* %3 to i8*
  %5 = bitcast %struct.link* %3 to i8*
  %6 = bitcast %struct.link* %0 to i8*
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* noundef nonnull align 8 dereferenceable(16) %4, i8* noundef nonnull align 8 dereferenceable(16) %6, i64 16, i1 false)
  %7 = bitcast %struct.link* %1 to i8*
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* noundef nonnull align 8 dereferenceable(16) %6, i8* noundef nonnull align 8 dereferenceable(16) %7, i64 16, i1 false)
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* noundef nonnull align 8 dereferenceable(16) %7, i8* noundef nonnull align 8 dereferenceable(16) %4, i64 16, i1 false)
  %8 = getelementptr inbounds %struct.link, %struct.link* %0, i64 0, i32 0
  %9 = load %struct.link*, %struct.link** %8, align 8
  %10 = icmp eq %struct.link* %9, %1
  %11 = getelementptr inbounds %struct.link, %struct.link* %0, i64 0, i32 1
  br i1 %10, label %12, label %13
12:
  store %struct.link* %0, %struct.link** %11, align 8
  br label %18
13:
  %14 = load %struct.link*, %struct.link** %11, align 8
  %15 = getelementptr inbounds %struct.link, %struct.link* %14, i64 0, i32 0
  store %struct.link* %0, %struct.link** %15, align 8
  %16 = load %struct.link*, %struct.link** %8, align 8
  %17 = getelementptr inbounds %struct.link, %struct.link* %16, i64 0, i32 1
  br label %18
18:
  %19 = phi %struct.link** [ %17, %13 ], [ %8, %12 ]
  store %struct.link* %0, %struct.link** %19, align 8
  %20 = getelementptr inbounds %struct.link, %struct.link* %1, i64 0, i32 0
  %21 = load %struct.link*, %struct.link** %20, align 8
  %22 = icmp eq %struct.link* %21, %0
  %23 = getelementptr inbounds %struct.link, %struct.link* %1, i64 0, i32 1
  br i1 %22, label %24, label %25
24:
  store %struct.link* %1, %struct.link** %23, align 8
  br label %30
25:
  %26 = load %struct.link*, %struct.link** %23, align 8
  %27 = getelementptr inbounds %struct.link, %struct.link* %26, i64 0, i32 0
  store %struct.link* %1, %struct.link** %27, align 8
  %28 = load %struct.link*, %struct.link** %20, align 8
  %29 = getelementptr inbounds %struct.link, %struct.link* %28, i64 0, i32 1
  br label %30
30:
  %31 = phi %struct.link** [ %29, %25 ], [ %20, %24 ]
  store %struct.link* %1, %struct.link** %31, align 8
  %32 = bitcast %struct.link* %3 to i8*
  ret void
}
define weak i64 @_ZSt11_Hash_bytesPKvmm(i8* noundef %0, i64 noundef %1, i64 noundef %2) {
  %4 = alloca i64, align 8
  %5 = mul i64 %1, -4132994306676758123
  %6 = xor i64 %5, %2
  %7 = icmp ult i64 %1, 8
  br i1 %7, label %25, label %8
8:
  %9 = bitcast i64* %4 to i8*
  br label %10
10:
  %11 = phi i64 [ 8, %8 ], [ %23, %10 ]
  %12 = phi i64 [ 0, %8 ], [ %11, %10 ]
  %13 = phi i64 [ %6, %8 ], [ %22, %10 ]
  %14 = getelementptr inbounds i8, i8* %0, i64 %12
  %15 = call i8* @memcpy(i8* noundef nonnull %9, i8* noundef %14, i64 noundef 8)
  %16 = load i64, i64* %4, align 8
  %17 = mul i64 %16, -4132994306676758123
  %18 = lshr i64 %17, 47
  %19 = xor i64 %18, %17
  store i64 %19, i64* %4, align 8
  %20 = mul i64 %19, -4132994306676758123
  %21 = xor i64 %20, %13
  %22 = mul i64 %21, -4132994306676758123
  %23 = add i64 %11, 8
  %24 = icmp ugt i64 %23, %1
  br i1 %24, label %25, label %10
25:
  %26 = phi i64 [ %6, %3 ], [ %22, %10 ]
  %27 = phi i64 [ 0, %3 ], [ %11, %10 ]
  %28 = icmp ult i64 %27, %1
  br i1 %28, label %32, label %42
29:
  %30 = xor i64 %40, %26
  %31 = mul i64 %30, -4132994306676758123
  br label %42
32:
  %33 = phi i64 [ %36, %32 ], [ %1, %25 ]
  %34 = phi i64 [ %40, %32 ], [ 0, %25 ]
  %35 = shl i64 %34, 8
  %36 = add i64 %33, -1
  %37 = getelementptr inbounds i8, i8* %0, i64 %36
  %38 = load i8, i8* %37, align 1
  %39 = zext i8 %38 to i64
  %40 = or i64 %35, %39
  %41 = icmp ugt i64 %36, %27
  br i1 %41, label %32, label %29
42:
  %43 = phi i64 [ %31, %29 ], [ %26, %25 ]
  %44 = lshr i64 %43, 47
  %45 = xor i64 %44, %43
  %46 = mul i64 %45, -4132994306676758123
  %47 = lshr i64 %46, 47
  %48 = xor i64 %47, %46
  ret i64 %48
}
declare i8* @memcpy(i8* noundef, i8* noundef, i64 noundef)
define weak i64 @_ZSt15_Fnv_hash_bytesPKvmm(i8* noundef %0, i64 noundef %1, i64 noundef %2) {
  %4 = icmp eq i64 %1, 0
  br i1 %4, label %5, label %7
5:
  %6 = phi i64 [ %2, %3 ], [ %14, %7 ]
  ret i64 %6
7:
  %8 = phi i64 [ %15, %7 ], [ 0, %3 ]
  %9 = phi i64 [ %14, %7 ], [ %2, %3 ]
  %10 = getelementptr inbounds i8, i8* %0, i64 %8
  %11 = load i8, i8* %10, align 1
  %12 = zext i8 %11 to i64
  %13 = xor i64 %9, %12
  %14 = mul i64 %13, 1099511628211
  %15 = add nuw i64 %8, 1
  %16 = icmp eq i64 %15, %1
  br i1 %16, label %5, label %7
}
define weak i64 @_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(%struct.policy* noundef %0, i64 noundef %1) {
  %3 = icmp eq i64 %1, 0
  br i1 %3, label %35, label %4
4:
  %5 = icmp ugt i64 %1, 2
  %6 = select i1 %5, i64 %1, i64 2
  %7 = icmp ult i64 %6, 4
  br i1 %7, label %26, label %8
8:
  %9 = phi i1 [ %25, %23 ], [ %7, %4 ]
  %10 = phi i64 [ %24, %23 ], [ %6, %4 ]
  %11 = and i64 %10, 1
  %12 = icmp eq i64 %11, 0
  br i1 %12, label %21, label %13
13:
  %14 = phi i64 [ %20, %17 ], [ 3, %8 ]
  %15 = mul i64 %14, %14
  %16 = icmp ugt i64 %15, %10
  br i1 %16, label %26, label %17
17:
  %18 = urem i64 %10, %14
  %19 = icmp eq i64 %18, 0
  %20 = add i64 %14, 1
  br i1 %19, label %21, label %13
21:
  %22 = phi i1 [ %9, %8 ], [ %16, %17 ]
  br i1 %22, label %26, label %23
23:
  %24 = add i64 %10, 1
  %25 = icmp ult i64 %24, 4
  br i1 %25, label %26, label %8
26:
  %27 = phi i64 [ %6, %4 ], [ %10, %13 ], [ %10, %21 ], [ %24, %23 ]
  %28 = uitofp i64 %27 to double
  %29 = getelementptr inbounds %struct.policy, %struct.policy* %0, i64 0, i32 0
  %30 = load float, float* %29, align 8
  %31 = fpext float %30 to double
  %32 = fmul double %28, %31
  %33 = fptoui double %32 to i64
  %34 = getelementptr inbounds %struct.policy, %struct.policy* %0, i64 0, i32 1
  store i64 %33, i64* %34, align 8
  br label %35
35:
  %36 = phi i64 [ %27, %26 ], [ 1, %2 ]
  ret i64 %36
}
define weak { i8, i64 } @_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(%struct.policy* noundef %0, i64 noundef %1, i64 noundef %2, i64 noundef %3) {
  %5 = add i64 %3, %2
  %6 = getelementptr inbounds %struct.policy, %struct.policy* %0, i64 0, i32 1
  %7 = load i64, i64* %6, align 8
  %8 = icmp ugt i64 %5, %7
  br i1 %8, label %9, label %61
9:
  %10 = icmp eq i64 %7, 0
  %11 = icmp ult i64 %5, 11
  %12 = and i1 %11, %10
  %13 = uitofp i64 %5 to double
  %14 = select i1 %12, double 1.100000e+01, double %13
  %15 = getelementptr inbounds %struct.policy, %struct.policy* %0, i64 0, i32 0
  %16 = load float, float* %15, align 8
  %17 = fpext float %16 to double
  %18 = fdiv double %14, %17
  %19 = fptoui double %18 to i64
  %20 = icmp ult i64 %19, %1
  br i1 %20, label %21, label %23
21:
  %22 = uitofp i64 %1 to double
  br label %54
23:
  %24 = add i64 %19, 1
  %25 = shl i64 %1, 1
  %26 = icmp ult i64 %24, %25
  %27 = select i1 %26, i64 %25, i64 %24
  %28 = icmp eq i64 %27, 0
  br i1 %28, label %61, label %29
29:
  %30 = icmp ugt i64 %27, 2
  %31 = select i1 %30, i64 %27, i64 2
  %32 = icmp ult i64 %31, 4
  br i1 %32, label %51, label %33
33:
  %34 = phi i1 [ %50, %48 ], [ %32, %29 ]
  %35 = phi i64 [ %49, %48 ], [ %31, %29 ]
  %36 = and i64 %35, 1
  %37 = icmp eq i64 %36, 0
  br i1 %37, label %46, label %38
38:
  %39 = phi i64 [ %45, %42 ], [ 3, %33 ]
  %40 = mul i64 %39, %39
  %41 = icmp ugt i64 %40, %35
  br i1 %41, label %51, label %42
42:
  %43 = urem i64 %35, %39
  %44 = icmp eq i64 %43, 0
  %45 = add i64 %39, 1
  br i1 %44, label %46, label %38
46:
  %47 = phi i1 [ %34, %33 ], [ %41, %42 ]
  br i1 %47, label %51, label %48
48:
  %49 = add i64 %35, 1
  %50 = icmp ult i64 %49, 4
  br i1 %50, label %51, label %33
51:
  %52 = phi i64 [ %31, %29 ], [ %35, %38 ], [ %35, %46 ], [ %49, %48 ]
  %53 = uitofp i64 %52 to double
  br label %54
54:
  %55 = phi double [ %53, %51 ], [ %17, %21 ]
  %56 = phi double [ %17, %51 ], [ %22, %21 ]
  %57 = phi i8 [ 1, %51 ], [ 0, %21 ]
  %58 = phi i64 [ %52, %51 ], [ 0, %21 ]
  %59 = fmul double %56, %55
  %60 = fptoui double %59 to i64
  store i64 %60, i64* %6, align 8
  br label %61
61:
  %62 = phi i8 [ 0, %4 ], [ 1, %23 ], [ %57, %54 ]
  %63 = phi i64 [ 0, %4 ], [ 1, %23 ], [ %58, %54 ]
  %64 = insertvalue { i8, i64 } poison, i8 %62, 0
  %65 = insertvalue { i8, i64 } %64, i64 %63, 1
  ret { i8, i64 } %65
}
define weak void @__atomic_load(i64 noundef %0, i8* noundef %1, i8* noundef %2, i32 noundef %3) {
  call void @__VERIFIER_atomic_begin()
  %5 = call i8* @memcpy(i8* noundef %2, i8* noundef %1, i64 noundef %0)
  call void @__VERIFIER_atomic_end()
  ret void
}
declare void @__VERIFIER_atomic_begin()
declare void @__VERIFIER_atomic_end()
define weak void @__atomic_store(i64 noundef %0, i8* noundef %1, i8* noundef %2, i32 noundef %3) {
  call void @__VERIFIER_atomic_begin()
  %5 = call i8* @memcpy(i8* noundef %1, i8* noundef %2, i64 noundef %0)
  call void @__VERIFIER_atomic_end()
  ret void
}
define weak void @__atomic_exchange(i64 noundef %0, i8* noundef %1, i8* noundef %2, i8* noundef %3, i32 noundef %4) {
  call void @__VERIFIER_atomic_begin()
  %6 = call i8* @memcpy(i8* noundef %3, i8* noundef %1, i64 noundef %0)
  %7 = call i8* @memcpy(i8* noundef %1, i8* noundef %2, i64 noundef %0)
  call void @__VERIFIER_atomic_end()
  ret void
}
define weak zeroext i1 @__atomic_compare_exchange(i64 noundef %0, i8* noundef %1, i8* noundef %2, i8* noundef %3, i32 noundef %4, i32 noundef %5) {
  call void @__VERIFIER_atomic_begin()
  %7 = call i32 @memcmp(i8* noundef %1, i8* noundef %2, i64 noundef %0)
  %8 = icmp eq i32 %7, 0
  %9 = select i1 %8, i8* %1, i8* %2
  %10 = select i1 %8, i8* %3, i8* %1
  %11 = call i8* @memcpy(i8* noundef %9, i8* noundef %10, i64 noundef %0)
  call void @__VERIFIER_atomic_end()
  ret i1 %8
}
declare i32 @memcmp(i8* noundef, i8* noundef, i64 noundef)
define weak zeroext i1 @__atomic_is_lock_free(i64 noundef %0, i8* noundef %1) {
  %3 = icmp ult i64 %0, 9
  br i1 %3, label %4, label %7
4:
  %5 = call i64 @llvm.ctpop.i64(i64 %0), !range !54
  %6 = icmp ult i64 %5, 2
  br label %7
7:
  %8 = phi i1 [ false, %2 ], [ %6, %4 ]
  ret i1 %8
}
define weak i64 @strtol(i8* noundef %0, i8** noundef %1, i32 noundef %2) {
  %4 = call fastcc i64 @number(i8* noundef %0, i8** noundef %1, i32 noundef %2, i1 noundef zeroext true)
  ret i64 %4
}
define internal fastcc i64 @number(i8* noundef %0, i8** noundef writeonly %1, i32 noundef %2, i1 noundef zeroext %3) {
  br label %5
5:
  %6 = phi i8* [ %0, %4 ], [ %9, %8 ]
  %7 = load i8, i8* %6, align 1
  switch i8 %7, label %13 [
    i8 32, label %8
    i8 13, label %8
    i8 12, label %8
    i8 11, label %8
    i8 10, label %8
    i8 9, label %8
    i8 45, label %10
    i8 43, label %10
  ]
8:
  %9 = getelementptr inbounds i8, i8* %6, i64 1
  br label %5
10:
  %11 = getelementptr inbounds i8, i8* %6, i64 1
  %12 = icmp eq i8 %7, 45
  br label %13
13:
  %14 = phi i8* [ %11, %10 ], [ %6, %5 ]
  %15 = phi i1 [ %12, %10 ], [ false, %5 ]
  %16 = and i32 %2, -17
  %17 = icmp eq i32 %16, 0
  br i1 %17, label %18, label %29
18:
  %19 = load i8, i8* %14, align 1
  %20 = icmp eq i8 %19, 48
  br i1 %20, label %21, label %29
21:
  %22 = getelementptr inbounds i8, i8* %14, i64 1
  %23 = load i8, i8* %22, align 1
  %24 = and i8 %23, -33
  %25 = icmp eq i8 %24, 88
  %26 = select i1 %25, i64 2, i64 0
  %27 = getelementptr i8, i8* %14, i64 %26
  %28 = select i1 %25, i32 16, i32 %2
  br label %29
29:
  %30 = phi i8* [ %14, %18 ], [ %14, %13 ], [ %27, %21 ]
  %31 = phi i32 [ %2, %18 ], [ %2, %13 ], [ %28, %21 ]
  %32 = icmp eq i32 %31, 0
  br i1 %32, label %33, label %37
33:
  %34 = load i8, i8* %30, align 1
  %35 = icmp eq i8 %34, 48
  %36 = select i1 %35, i32 8, i32 10
  br label %37
37:
  %38 = phi i32 [ %36, %33 ], [ %31, %29 ]
  %39 = sext i32 %38 to i64
  br label %40
40:
  %41 = phi i8* [ %30, %37 ], [ %75, %71 ]
  %42 = phi i8 [ 0, %37 ], [ %72, %71 ]
  %43 = phi i8 [ 0, %37 ], [ %73, %71 ]
  %44 = phi i64 [ 0, %37 ], [ %74, %71 ]
  %45 = load i8, i8* %41, align 1
  %46 = add i8 %45, -48
  %47 = icmp ult i8 %46, 10
  br i1 %47, label %48, label %51
48:
  %49 = sext i8 %45 to i32
  %50 = add nsw i32 %49, -48
  br label %58
51:
  %52 = or i8 %45, 32
  %53 = add i8 %52, -97
  %54 = icmp ult i8 %53, 26
  br i1 %54, label %55, label %58
55:
  %56 = sext i8 %52 to i32
  %57 = add nsw i32 %56, -87
  br label %58
58:
  %59 = phi i32 [ %50, %48 ], [ %57, %55 ], [ 99, %51 ]
  %60 = icmp slt i32 %59, %38
  br i1 %60, label %61, label %71
61:
  %62 = sext i32 %59 to i64
  %63 = xor i64 %62, -1
  %64 = udiv i64 %63, %39
  %65 = icmp ugt i64 %44, %64
  %66 = zext i1 %65 to i8
  %67 = and i8 %43, 1
  %68 = or i8 %67, %66
  %69 = mul i64 %44, %39
  %70 = add i64 %69, %62
  br label %71
71:
  %72 = phi i8 [ 1, %61 ], [ %42, %58 ]
  %73 = phi i8 [ %68, %61 ], [ %43, %58 ]
  %74 = phi i64 [ %70, %61 ], [ %44, %58 ]
  %75 = getelementptr inbounds i8, i8* %41, i64 1
  br i1 %60, label %40, label %76
76:
  %77 = icmp eq i8** %1, null
  br i1 %77, label %82, label %78
78:
  %79 = and i8 %72, 1
  %80 = icmp eq i8 %79, 0
  %81 = select i1 %80, i8* %0, i8* %41
  store i8* %81, i8** %1, align 8
  br label %82
82:
  %83 = select i1 %15, i64 -9223372036854775808, i64 9223372036854775807
  %84 = and i8 %73, 1
  %85 = icmp ne i8 %84, 0
  %86 = select i1 %3, i64 %83, i64 -1
  %87 = icmp ugt i64 %74, %86
  %88 = select i1 %85, i1 true, i1 %87
  br i1 %88, label %89, label %91
89:
  %90 = call i32* @__errno_location()
  store i32 34, i32* %90, align 4
  br label %94
91:
  %92 = sub i64 0, %74
  %93 = select i1 %15, i64 %92, i64 %74
  br label %94
94:
  %95 = phi i64 [ %86, %89 ], [ %93, %91 ]
  ret i64 %95
}
define weak i64 @strtoll(i8* noundef %0, i8** noundef %1, i32 noundef %2) {
  %4 = call fastcc i64 @number(i8* noundef %0, i8** noundef %1, i32 noundef %2, i1 noundef zeroext true)
  ret i64 %4
}
define weak i64 @strtoul(i8* noundef %0, i8** noundef %1, i32 noundef %2) {
  %4 = call fastcc i64 @number(i8* noundef %0, i8** noundef %1, i32 noundef %2, i1 noundef zeroext false)
  ret i64 %4
}
define weak i64 @strtoull(i8* noundef %0, i8** noundef %1, i32 noundef %2) {
  %4 = call fastcc i64 @number(i8* noundef %0, i8** noundef %1, i32 noundef %2, i1 noundef zeroext false)
  ret i64 %4
}
define weak %struct.stream* @_ZNSolsEs(%struct.stream* noundef %0, i16 noundef signext %1) {
  %3 = alloca [24 x i8], align 16
  %4 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %5 = load i8**, i8*** %4, align 8
  %6 = icmp eq i8** %5, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  %7 = sext i16 %1 to i64
  br i1 %6, label %8, label %36
8:
  %9 = icmp slt i16 %1, 0
  %10 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 0
  %11 = sub nsw i64 0, %7
  %12 = select i1 %9, i64 %11, i64 %7
  br label %13
13:
  %14 = phi i64 [ %19, %13 ], [ 24, %8 ]
  %15 = phi i64 [ %21, %13 ], [ %12, %8 ]
  %16 = urem i64 %15, 10
  %17 = trunc i64 %16 to i8
  %18 = or i8 %17, 48
  %19 = add nsw i64 %14, -1
  %20 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %19
  store i8 %18, i8* %20, align 1
  %21 = udiv i64 %15, 10
  %22 = icmp ult i64 %15, 10
  br i1 %22, label %23, label %13
23:
  %24 = trunc i64 %19 to i32
  br i1 %9, label %25, label %30
25:
  %26 = trunc i64 %14 to i32
  %27 = add nsw i32 %26, -2
  %28 = sext i32 %27 to i64
  %29 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %28
  store i8 45, i8* %29, align 1
  br label %30
30:
  %31 = phi i32 [ %27, %25 ], [ %24, %23 ]
  %32 = sext i32 %31 to i64
  %33 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %32
  %34 = sub nsw i32 24, %31
  %35 = sext i32 %34 to i64
  call fastcc void @append(%struct.stream* noundef %0, i8* noundef nonnull %33, i64 noundef %35)
  br label %37
36:
  call void @__fencewright_prints(i64 noundef %7)
  br label %37
37:
  ret %struct.stream* %0
}
declare void @__fencewright_prints(i64 noundef)
define weak %struct.stream* @_ZNSolsEi(%struct.stream* noundef %0, i32 noundef %1) {
  %3 = alloca [24 x i8], align 16
  %4 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %5 = load i8**, i8*** %4, align 8
  %6 = icmp eq i8** %5, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  %7 = sext i32 %1 to i64
  br i1 %6, label %8, label %36
8:
  %9 = icmp slt i32 %1, 0
  %10 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 0
  %11 = sub nsw i64 0, %7
  %12 = select i1 %9, i64 %11, i64 %7
  br label %13
13:
  %14 = phi i64 [ %19, %13 ], [ 24, %8 ]
  %15 = phi i64 [ %21, %13 ], [ %12, %8 ]
  %16 = urem i64 %15, 10
  %17 = trunc i64 %16 to i8
  %18 = or i8 %17, 48
  %19 = add nsw i64 %14, -1
  %20 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %19
  store i8 %18, i8* %20, align 1
  %21 = udiv i64 %15, 10
  %22 = icmp ult i64 %15, 10
  br i1 %22, label %23, label %13
23:
  %24 = trunc i64 %19 to i32
  br i1 %9, label %25, label %30
25:
  %26 = trunc i64 %14 to i32
  %27 = add nsw i32 %26, -2
  %28 = sext i32 %27 to i64
  %29 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %28
  store i8 45, i8* %29, align 1
  br label %30
30:
  %31 = phi i32 [ %27, %25 ], [ %24, %23 ]
  %32 = sext i32 %31 to i64
  %33 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %32
  %34 = sub nsw i32 24, %31
  %35 = sext i32 %34 to i64
  call fastcc void @append(%struct.stream* noundef %0, i8* noundef nonnull %33, i64 noundef %35)
  br label %37
36:
  call void @__fencewright_prints(i64 noundef %7)
  br label %37
37:
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZNSolsEl(%struct.stream* noundef %0, i64 noundef %1) {
  %3 = alloca [24 x i8], align 16
  %4 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %5 = load i8**, i8*** %4, align 8
  %6 = icmp eq i8** %5, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  br i1 %6, label %7, label %35
7:
  %8 = icmp slt i64 %1, 0
  %9 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 0
  %10 = sub i64 0, %1
  %11 = select i1 %8, i64 %10, i64 %1
  br label %12
12:
  %13 = phi i64 [ %18, %12 ], [ 24, %7 ]
  %14 = phi i64 [ %20, %12 ], [ %11, %7 ]
  %15 = urem i64 %14, 10
  %16 = trunc i64 %15 to i8
  %17 = or i8 %16, 48
  %18 = add nsw i64 %13, -1
  %19 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %18
  store i8 %17, i8* %19, align 1
  %20 = udiv i64 %14, 10
  %21 = icmp ult i64 %14, 10
  br i1 %21, label %22, label %12
22:
  %23 = trunc i64 %18 to i32
  br i1 %8, label %24, label %29
24:
  %25 = trunc i64 %13 to i32
  %26 = add nsw i32 %25, -2
  %27 = sext i32 %26 to i64
  %28 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %27
  store i8 45, i8* %28, align 1
  br label %29
29:
  %30 = phi i32 [ %26, %24 ], [ %23, %22 ]
  %31 = sext i32 %30 to i64
  %32 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %31
  %33 = sub nsw i32 24, %30
  %34 = sext i32 %33 to i64
  call fastcc void @append(%struct.stream* noundef %0, i8* noundef nonnull %32, i64 noundef %34)
  br label %36
35:
  call void @__fencewright_prints(i64 noundef %1)
  br label %36
36:
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZNSolsEx(%struct.stream* noundef %0, i64 noundef %1) {
  %3 = alloca [24 x i8], align 16
  %4 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %5 = load i8**, i8*** %4, align 8
  %6 = icmp eq i8** %5, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  br i1 %6, label %7, label %35
7:
  %8 = icmp slt i64 %1, 0
  %9 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 0
  %10 = sub i64 0, %1
  %11 = select i1 %8, i64 %10, i64 %1
  br label %12
12:
  %13 = phi i64 [ %18, %12 ], [ 24, %7 ]
  %14 = phi i64 [ %20, %12 ], [ %11, %7 ]
  %15 = urem i64 %14, 10
  %16 = trunc i64 %15 to i8
  %17 = or i8 %16, 48
  %18 = add nsw i64 %13, -1
  %19 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %18
  store i8 %17, i8* %19, align 1
  %20 = udiv i64 %14, 10
  %21 = icmp ult i64 %14, 10
  br i1 %21, label %22, label %12
22:
  %23 = trunc i64 %18 to i32
  br i1 %8, label %24, label %29
24:
  %25 = trunc i64 %13 to i32
  %26 = add nsw i32 %25, -2
  %27 = sext i32 %26 to i64
  %28 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %27
  store i8 45, i8* %28, align 1
  br label %29
29:
  %30 = phi i32 [ %26, %24 ], [ %23, %22 ]
  %31 = sext i32 %30 to i64
  %32 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %31
  %33 = sub nsw i32 24, %30
  %34 = sext i32 %33 to i64
  call fastcc void @append(%struct.stream* noundef %0, i8* noundef nonnull %32, i64 noundef %34)
  br label %36
35:
  call void @__fencewright_prints(i64 noundef %1)
  br label %36
36:
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZNSolsEb(%struct.stream* noundef %0, i1 noundef zeroext %1) {
  %3 = alloca [24 x i8], align 16
  %4 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %5 = load i8**, i8*** %4, align 8
  %6 = icmp eq i8** %5, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  br i1 %6, label %9, label %7
7:
  %8 = zext i1 %1 to i64
  call void @__fencewright_prints(i64 noundef %8)
  br label %15
9:
  %10 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 0
  %11 = zext i1 %1 to i8
  %12 = or i8 %11, 48
  %13 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 23
  store i8 %12, i8* %13, align 1
  %14 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 23
  call fastcc void @append(%struct.stream* noundef %0, i8* noundef nonnull %14, i64 noundef 1)
  br label %15
15:
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZNSolsEt(%struct.stream* noundef %0, i16 noundef zeroext %1) {
  %3 = alloca [24 x i8], align 16
  %4 = zext i16 %1 to i64
  %5 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %6 = load i8**, i8*** %5, align 8
  %7 = icmp eq i8** %6, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  br i1 %7, label %9, label %8
8:
  call void @__fencewright_prints(i64 noundef %4)
  br label %28
9:
  %10 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 0
  br label %11
11:
  %12 = phi i64 [ %17, %11 ], [ 24, %9 ]
  %13 = phi i64 [ %19, %11 ], [ %4, %9 ]
  %14 = urem i64 %13, 10
  %15 = trunc i64 %14 to i8
  %16 = or i8 %15, 48
  %17 = add nsw i64 %12, -1
  %18 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %17
  store i8 %16, i8* %18, align 1
  %19 = udiv i64 %13, 10
  %20 = icmp ult i64 %13, 10
  br i1 %20, label %21, label %11
21:
  %22 = shl i64 %17, 32
  %23 = ashr exact i64 %22, 32
  %24 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %23
  %25 = mul i64 %12, -4294967296
  %26 = add i64 %25, 107374182400
  %27 = ashr exact i64 %26, 32
  call fastcc void @append(%struct.stream* noundef %0, i8* noundef nonnull %24, i64 noundef %27)
  br label %28
28:
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZNSolsEj(%struct.stream* noundef %0, i32 noundef %1) {
  %3 = alloca [24 x i8], align 16
  %4 = zext i32 %1 to i64
  %5 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %6 = load i8**, i8*** %5, align 8
  %7 = icmp eq i8** %6, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  br i1 %7, label %9, label %8
8:
  call void @__fencewright_prints(i64 noundef %4)
  br label %28
9:
  %10 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 0
  br label %11
11:
  %12 = phi i64 [ %17, %11 ], [ 24, %9 ]
  %13 = phi i64 [ %19, %11 ], [ %4, %9 ]
  %14 = urem i64 %13, 10
  %15 = trunc i64 %14 to i8
  %16 = or i8 %15, 48
  %17 = add nsw i64 %12, -1
  %18 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %17
  store i8 %16, i8* %18, align 1
  %19 = udiv i64 %13, 10
  %20 = icmp ult i64 %13, 10
  br i1 %20, label %21, label %11
21:
  %22 = shl i64 %17, 32
  %23 = ashr exact i64 %22, 32
  %24 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %23
  %25 = mul i64 %12, -4294967296
  %26 = add i64 %25, 107374182400
  %27 = ashr exact i64 %26, 32
  call fastcc void @append(%struct.stream* noundef %0, i8* noundef nonnull %24, i64 noundef %27)
  br label %28
28:
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZNSolsEm(%struct.stream* noundef %0, i64 noundef %1) {
  %3 = alloca [24 x i8], align 16
  %4 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %5 = load i8**, i8*** %4, align 8
  %6 = icmp eq i8** %5, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  br i1 %6, label %8, label %7
7:
  call void @__fencewright_prints(i64 noundef %1)
  br label %27
8:
  %9 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 0
  br label %10
10:
  %11 = phi i64 [ %16, %10 ], [ 24, %8 ]
  %12 = phi i64 [ %18, %10 ], [ %1, %8 ]
  %13 = urem i64 %12, 10
  %14 = trunc i64 %13 to i8
  %15 = or i8 %14, 48
  %16 = add nsw i64 %11, -1
  %17 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %16
  store i8 %15, i8* %17, align 1
  %18 = udiv i64 %12, 10
  %19 = icmp ult i64 %12, 10
  br i1 %19, label %20, label %10
20:
  %21 = shl i64 %16, 32
  %22 = ashr exact i64 %21, 32
  %23 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %22
  %24 = mul i64 %11, -4294967296
  %25 = add i64 %24, 107374182400
  %26 = ashr exact i64 %25, 32
  call fastcc void @append(%struct.stream* noundef %0, i8* noundef nonnull %23, i64 noundef %26)
  br label %27
27:
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZNSolsEy(%struct.stream* noundef %0, i64 noundef %1) {
  %3 = alloca [24 x i8], align 16
  %4 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %5 = load i8**, i8*** %4, align 8
  %6 = icmp eq i8** %5, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  br i1 %6, label %8, label %7
7:
  call void @__fencewright_prints(i64 noundef %1)
  br label %27
8:
  %9 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 0
  br label %10
10:
  %11 = phi i64 [ %16, %10 ], [ 24, %8 ]
  %12 = phi i64 [ %18, %10 ], [ %1, %8 ]
  %13 = urem i64 %12, 10
  %14 = trunc i64 %13 to i8
  %15 = or i8 %14, 48
  %16 = add nsw i64 %11, -1
  %17 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %16
  store i8 %15, i8* %17, align 1
  %18 = udiv i64 %12, 10
  %19 = icmp ult i64 %12, 10
  br i1 %19, label %20, label %10
20:
  %21 = shl i64 %16, 32
  %22 = ashr exact i64 %21, 32
  %23 = getelementptr inbounds [24 x i8], [24 x i8]* %3, i64 0, i64 %22
  %24 = mul i64 %11, -4294967296
  %25 = add i64 %24, 107374182400
  %26 = ashr exact i64 %25, 32
  call fastcc void @append(%struct.stream* noundef %0, i8* noundef nonnull %23, i64 noundef %26)
  br label %27
27:
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(%struct.stream* noundef %0, i8* noundef %1) {
  %3 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %4 = load i8**, i8*** %3, align 8
  %5 = icmp eq i8** %4, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  br i1 %5, label %6, label %8
6:
  %7 = call i64 @strlen(i8* noundef %1)
  call fastcc void @append(%struct.stream* noundef %0, i8* noundef %1, i64 noundef %7)
  br label %9
8:
  call void @__fencewright_prints_text(i8* noundef %1)
  br label %9
9:
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c(%struct.stream* noundef %0, i8 noundef signext %1) {
  %3 = alloca i8, align 1
  store i8 %1, i8* %3, align 1
  %4 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %5 = load i8**, i8*** %4, align 8
  %6 = icmp eq i8** %5, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  br i1 %6, label %7, label %8
7:
  call fastcc void @append(%struct.stream* noundef %0, i8* noundef nonnull %3, i64 noundef 1)
  br label %10
8:
  %9 = sext i8 %1 to i64
  call void @__fencewright_prints(i64 noundef %9)
  br label %10
10:
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZNSo3putEc(%struct.stream* noundef %0, i8 noundef signext %1) {
  %3 = alloca i8, align 1
  store i8 %1, i8* %3, align 1
  %4 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %5 = load i8**, i8*** %4, align 8
  %6 = icmp eq i8** %5, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  br i1 %6, label %7, label %8
7:
  call fastcc void @append(%struct.stream* noundef %0, i8* noundef nonnull %3, i64 noundef 1)
  br label %10
8:
  %9 = sext i8 %1 to i64
  call void @__fencewright_prints(i64 noundef %9)
  br label %10
10:
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZNSo5writeEPKcl(%struct.stream* noundef %0, i8* noundef %1, i64 noundef %2) {
  call fastcc void @append(%struct.stream* noundef %0, i8* noundef %1, i64 noundef %2)
  ret %struct.stream* %0
}
define internal fastcc void @append(%struct.stream* nocapture noundef %0, i8* noundef %1, i64 noundef %2) {
  %4 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %5 = load i8**, i8*** %4, align 8
  %6 = icmp eq i8** %5, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  br i1 %6, label %8, label %7
7:
  call void @__fencewright_prints_bytes(i8* noundef %1, i64 noundef %2)
  br label %38
8:
  %9 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 4, i32 2
  %10 = getelementptr inbounds i64, i64* %9, i64 2
  %11 = load i64, i64* %10, align 8
  %12 = icmp eq i64 %11, 0
  br i1 %12, label %13, label %18
13:
  %14 = getelementptr inbounds i64, i64* %9, i64 3
  %15 = bitcast i64* %14 to i32*
  %16 = load i32, i32* %15, align 4
  %17 = icmp eq i32 %16, 4098
  br i1 %17, label %19, label %18
18:
  call void @__fencewright_formats()
  br label %19
19:
  %20 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 2
  %21 = load i64, i64* %20, align 8
  %22 = add i64 %2, 1
  %23 = add i64 %22, %21
  %24 = call i8* @malloc(i64 noundef %23)
  %25 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 1
  %26 = load i8*, i8** %25, align 8
  %27 = icmp eq i8* %26, null
  br i1 %27, label %31, label %28
28:
  %29 = load i64, i64* %20, align 8
  %30 = call i8* @memcpy(i8* noundef %24, i8* noundef nonnull %26, i64 noundef %29)
  br label %31
31:
  %32 = load i64, i64* %20, align 8
  %33 = getelementptr inbounds i8, i8* %24, i64 %32
  %34 = call i8* @memcpy(i8* noundef %33, i8* noundef %1, i64 noundef %2)
  %35 = load i8*, i8** %25, align 8
  call void @free(i8* noundef %35)
  store i8* %24, i8** %25, align 8
  %36 = load i64, i64* %20, align 8
  %37 = add i64 %36, %2
  store i64 %37, i64* %20, align 8
  br label %38
38:
  ret void
}
define weak %struct.stream* @_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l(%struct.stream* noundef %0, i8* noundef %1, i64 noundef %2) {
  call fastcc void @append(%struct.stream* noundef %0, i8* noundef %1, i64 noundef %2)
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE(%struct.stream* noundef %0, %struct.string* noundef %1) {
  %3 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 0
  %4 = load i8*, i8** %3, align 8
  %5 = getelementptr inbounds %struct.string, %struct.string* %1, i64 0, i32 1
  %6 = load i64, i64* %5, align 8
  call fastcc void @append(%struct.stream* noundef %0, i8* noundef %4, i64 noundef %6)
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(%struct.stream* noundef %0) {
  %2 = alloca i8, align 1
  store i8 10, i8* %2, align 1
  %3 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %4 = load i8**, i8*** %3, align 8
  %5 = icmp eq i8** %4, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  br i1 %5, label %6, label %7
6:
  call fastcc void @append(%struct.stream* noundef %0, i8* noundef nonnull %2, i64 noundef 1)
  br label %8
7:
  call void @__fencewright_prints(i64 noundef 10)
  br label %8
8:
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(%struct.stream* noundef %0) {
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZNSolsEPFRSoS_E(%struct.stream* noundef %0, %struct.stream* (%struct.stream*)* noundef %1) {
  %3 = call %struct.stream* %1(%struct.stream* noundef %0)
  ret %struct.stream* %3
}
define weak %struct.stream* @_ZNSolsEPFRSt8ios_baseS0_E(%struct.stream* noundef %0, i8* (i8*)* noundef %1) {
  %3 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %4 = load i8**, i8*** %3, align 8
  %5 = icmp eq i8** %4, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  br i1 %5, label %6, label %10
6:
  %7 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 4, i32 2
  %8 = bitcast i64* %7 to i8*
  %9 = call i8* %1(i8* noundef nonnull %8)
  br label %10
10:
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZNSolsEd(%struct.stream* noundef %0, double noundef %1) {
  %3 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %4 = load i8**, i8*** %3, align 8
  %5 = icmp eq i8** %4, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  br i1 %5, label %6, label %7
6:
  call void @__fencewright_formats()
  br label %7
7:
  call void @__fencewright_prints_fraction(double noundef %1)
  ret %struct.stream* %0
}
declare void @__fencewright_formats()
declare void @__fencewright_prints_fraction(double noundef)
define weak %struct.stream* @_ZNSolsEf(%struct.stream* noundef %0, float noundef %1) {
  %3 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %4 = load i8**, i8*** %3, align 8
  %5 = icmp eq i8** %4, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  br i1 %5, label %6, label %7
6:
  call void @__fencewright_formats()
  br label %7
7:
  %8 = fpext float %1 to double
  call void @__fencewright_prints_fraction(double noundef %8)
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZNSolsEPKv(%struct.stream* noundef %0, i8* noundef %1) {
  %3 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %4 = load i8**, i8*** %3, align 8
  %5 = icmp eq i8** %4, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  br i1 %5, label %6, label %7
6:
  call void @__fencewright_formats()
  br label %7
7:
  %8 = ptrtoint i8* %1 to i64
  call void @__fencewright_prints(i64 noundef %8)
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St5_Setw(%struct.stream* noundef %0, i32 noundef %1) {
  %3 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %4 = load i8**, i8*** %3, align 8
  %5 = icmp eq i8** %4, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  br i1 %5, label %6, label %7
6:
  call void @__fencewright_formats()
  br label %7
7:
  %8 = sext i32 %1 to i64
  call void @__fencewright_prints(i64 noundef %8)
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St13_Setprecision(%struct.stream* noundef %0, i32 noundef %1) {
  %3 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %4 = load i8**, i8*** %3, align 8
  %5 = icmp eq i8** %4, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  br i1 %5, label %6, label %7
6:
  call void @__fencewright_formats()
  br label %7
7:
  %8 = sext i32 %1 to i64
  call void @__fencewright_prints(i64 noundef %8)
  ret %struct.stream* %0
}
define weak %struct.stream* @_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St8_SetfillIS3_E(%struct.stream* noundef %0, i8 noundef zeroext %1) {
  %3 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  %4 = load i8**, i8*** %3, align 8
  %5 = icmp eq i8** %4, getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3)
  br i1 %5, label %6, label %7
6:
  call void @__fencewright_formats()
  br label %7
7:
  %8 = zext i8 %1 to i64
  call void @__fencewright_prints(i64 noundef %8)
  ret %struct.stream* %0
}
define weak void @_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEC1Ev(%struct.stream* noundef %0) {
  %2 = bitcast %struct.stream* %0 to i8*
  br label %8
3:
  %4 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 0
  store i8** getelementptr inbounds ([4 x i8*], [4 x i8*]* @string_table, i64 0, i64 3), i8*** %4, align 8
  %5 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 4, i32 2
  %6 = getelementptr inbounds i64, i64* %5, i64 3
  %7 = bitcast i64* %6 to i32*
  store i32 4098, i32* %7, align 4
  ret void
8:
  %9 = phi i64 [ 0, %1 ], [ %11, %8 ]
  %10 = getelementptr inbounds i8, i8* %2, i64 %9
  store i8 0, i8* %10, align 1
  %11 = add nuw nsw i64 %9, 1
  %12 = icmp eq i64 %11, 376
  br i1 %12, label %3, label %8
}
define weak void @_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEED1Ev(%struct.stream* noundef %0) {
  %2 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 1
  %3 = load i8*, i8** %2, align 8
  call void @free(i8* noundef %3)
  ret void
}
define weak void @_ZNKSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv(%struct.string* noundef %0, %struct.stream* noundef %1) {
  %3 = getelementptr inbounds %struct.stream, %struct.stream* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  %5 = getelementptr inbounds %struct.stream, %struct.stream* %1, i64 0, i32 2
  %6 = load i64, i64* %5, align 8
  %7 = icmp ult i64 %6, 16
  br i1 %7, label %8, label %10
8:
  %9 = getelementptr inbounds %struct.string, %struct.string* %0, i64 0, i32 2, i64 0
  br label %13
10:
  %11 = add i64 %6, 1
  %12 = call i8* @malloc(i64 noundef %11)
  br label %13
13:
  %14 = phi i8* [ %9, %8 ], [ %12, %10 ]
  %15 = getelementptr inbounds %struct.string, %struct.string* %0, i64 0, i32 0
  store i8* %14, i8** %15, align 8
  %16 = getelementptr inbounds %struct.string, %struct.string* %0, i64 0, i32 1
  store i64 %6, i64* %16, align 8
  %17 = call i8* @memcpy(i8* noundef %14, i8* noundef %4, i64 noundef %6)
  %18 = load i8*, i8** %15, align 8
  %19 = getelementptr inbounds i8, i8* %18, i64 %6
  store i8 0, i8* %19, align 1
  %20 = load i8*, i8** %15, align 8
  %21 = getelementptr inbounds %struct.string, %struct.string* %0, i64 0, i32 2, i64 0
  %22 = icmp eq i8* %20, %21
  br i1 %22, label %25, label %23
23:
  %24 = bitcast i8* %21 to i64*
  store i64 %6, i64* %24, align 8
  br label %25
25:
  ret void
}
define weak void @_ZNKRSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv(%struct.string* noundef %0, %struct.stream* noundef %1) {
  %3 = getelementptr inbounds %struct.stream, %struct.stream* %1, i64 0, i32 1
  %4 = load i8*, i8** %3, align 8
  %5 = getelementptr inbounds %struct.stream, %struct.stream* %1, i64 0, i32 2
  %6 = load i64, i64* %5, align 8
  %7 = icmp ult i64 %6, 16
  br i1 %7, label %8, label %10
8:
  %9 = getelementptr inbounds %struct.string, %struct.string* %0, i64 0, i32 2, i64 0
  br label %13
10:
  %11 = add i64 %6, 1
  %12 = call i8* @malloc(i64 noundef %11)
  br label %13
13:
  %14 = phi i8* [ %9, %8 ], [ %12, %10 ]
  %15 = getelementptr inbounds %struct.string, %struct.string* %0, i64 0, i32 0
  store i8* %14, i8** %15, align 8
  %16 = getelementptr inbounds %struct.string, %struct.string* %0, i64 0, i32 1
  store i64 %6, i64* %16, align 8
  %17 = call i8* @memcpy(i8* noundef %14, i8* noundef %4, i64 noundef %6)
  %18 = load i8*, i8** %15, align 8
  %19 = getelementptr inbounds i8, i8* %18, i64 %6
  store i8 0, i8* %19, align 1
  %20 = load i8*, i8** %15, align 8
  %21 = getelementptr inbounds %struct.string, %struct.string* %0, i64 0, i32 2, i64 0
  %22 = icmp eq i8* %20, %21
  br i1 %22, label %25, label %23
23:
  %24 = bitcast i8* %21 to i64*
  store i64 %6, i64* %24, align 8
  br label %25
25:
  ret void
}
define weak %struct.stream* @_ZNSirsERs(%struct.stream* noundef %0, i16* noundef %1) {
  %3 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 2
  %4 = getelementptr inbounds i64, i64* %3, i64 4
  %5 = bitcast i64* %4 to i32*
  %6 = load i32, i32* %5, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %11
8:
  %9 = call zeroext i1 @__VERIFIER_nondet_bool()
  br i1 %9, label %10, label %11
10:
  store i32 6, i32* %5, align 4
  br label %11
11:
  %12 = load i32, i32* %5, align 4
  %13 = icmp eq i32 %12, 0
  br i1 %13, label %14, label %16
14:
  %15 = call signext i16 @__VERIFIER_nondet_short()
  br label %16
16:
  %17 = phi i16 [ %15, %14 ], [ 0, %11 ]
  store i16 %17, i16* %1, align 2
  ret %struct.stream* %0
}
declare signext i16 @__VERIFIER_nondet_short()
define weak %struct.stream* @_ZNSirsERt(%struct.stream* noundef %0, i16* noundef %1) {
  %3 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 2
  %4 = getelementptr inbounds i64, i64* %3, i64 4
  %5 = bitcast i64* %4 to i32*
  %6 = load i32, i32* %5, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %11
8:
  %9 = call zeroext i1 @__VERIFIER_nondet_bool()
  br i1 %9, label %10, label %11
10:
  store i32 6, i32* %5, align 4
  br label %11
11:
  %12 = load i32, i32* %5, align 4
  %13 = icmp eq i32 %12, 0
  br i1 %13, label %14, label %16
14:
  %15 = call zeroext i16 @__VERIFIER_nondet_ushort()
  br label %16
16:
  %17 = phi i16 [ %15, %14 ], [ 0, %11 ]
  store i16 %17, i16* %1, align 2
  ret %struct.stream* %0
}
declare zeroext i16 @__VERIFIER_nondet_ushort()
define weak %struct.stream* @_ZNSirsERi(%struct.stream* noundef %0, i32* noundef %1) {
  %3 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 2
  %4 = getelementptr inbounds i64, i64* %3, i64 4
  %5 = bitcast i64* %4 to i32*
  %6 = load i32, i32* %5, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %11
8:
  %9 = call zeroext i1 @__VERIFIER_nondet_bool()
  br i1 %9, label %10, label %11
10:
  store i32 6, i32* %5, align 4
  br label %11
11:
  %12 = load i32, i32* %5, align 4
  %13 = icmp eq i32 %12, 0
  br i1 %13, label %14, label %16
14:
  %15 = call i32 @__VERIFIER_nondet_int()
  br label %16
16:
  %17 = phi i32 [ %15, %14 ], [ 0, %11 ]
  store i32 %17, i32* %1, align 4
  ret %struct.stream* %0
}
declare i32 @__VERIFIER_nondet_int()
define weak %struct.stream* @_ZNSirsERj(%struct.stream* noundef %0, i32* noundef %1) {
  %3 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 2
  %4 = getelementptr inbounds i64, i64* %3, i64 4
  %5 = bitcast i64* %4 to i32*
  %6 = load i32, i32* %5, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %11
8:
  %9 = call zeroext i1 @__VERIFIER_nondet_bool()
  br i1 %9, label %10, label %11
10:
  store i32 6, i32* %5, align 4
  br label %11
11:
  %12 = load i32, i32* %5, align 4
  %13 = icmp eq i32 %12, 0
  br i1 %13, label %14, label %16
14:
  %15 = call i32 @__VERIFIER_nondet_uint()
  br label %16
16:
  %17 = phi i32 [ %15, %14 ], [ 0, %11 ]
  store i32 %17, i32* %1, align 4
  ret %struct.stream* %0
}
declare i32 @__VERIFIER_nondet_uint()
define weak %struct.stream* @_ZNSirsERl(%struct.stream* noundef %0, i64* noundef %1) {
  %3 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 2
  %4 = getelementptr inbounds i64, i64* %3, i64 4
  %5 = bitcast i64* %4 to i32*
  %6 = load i32, i32* %5, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %11
8:
  %9 = call zeroext i1 @__VERIFIER_nondet_bool()
  br i1 %9, label %10, label %11
10:
  store i32 6, i32* %5, align 4
  br label %11
11:
  %12 = load i32, i32* %5, align 4
  %13 = icmp eq i32 %12, 0
  br i1 %13, label %14, label %16
14:
  %15 = call i64 @__VERIFIER_nondet_long()
  br label %16
16:
  %17 = phi i64 [ %15, %14 ], [ 0, %11 ]
  store i64 %17, i64* %1, align 8
  ret %struct.stream* %0
}
declare i64 @__VERIFIER_nondet_long()
define weak %struct.stream* @_ZNSirsERm(%struct.stream* noundef %0, i64* noundef %1) {
  %3 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 2
  %4 = getelementptr inbounds i64, i64* %3, i64 4
  %5 = bitcast i64* %4 to i32*
  %6 = load i32, i32* %5, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %11
8:
  %9 = call zeroext i1 @__VERIFIER_nondet_bool()
  br i1 %9, label %10, label %11
10:
  store i32 6, i32* %5, align 4
  br label %11
11:
  %12 = load i32, i32* %5, align 4
  %13 = icmp eq i32 %12, 0
  br i1 %13, label %14, label %16
14:
  %15 = call i64 @__VERIFIER_nondet_ulong()
  br label %16
16:
  %17 = phi i64 [ %15, %14 ], [ 0, %11 ]
  store i64 %17, i64* %1, align 8
  ret %struct.stream* %0
}
declare i64 @__VERIFIER_nondet_ulong()
define weak %struct.stream* @_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_(%struct.stream* noundef %0, i8* noundef %1) {
  %3 = getelementptr inbounds %struct.stream, %struct.stream* %0, i64 0, i32 2
  %4 = getelementptr inbounds i64, i64* %3, i64 4
  %5 = bitcast i64* %4 to i32*
  %6 = load i32, i32* %5, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %8, label %11
8:
  %9 = call zeroext i1 @__VERIFIER_nondet_bool()
  br i1 %9, label %10, label %11
10:
  store i32 6, i32* %5, align 4
  br label %11
11:
  %12 = load i32, i32* %5, align 4
  %13 = icmp eq i32 %12, 0
  br i1 %13, label %14, label %16
14:
  %15 = call signext i8 @__VERIFIER_nondet_char()
  store i8 %15, i8* %1, align 1
  br label %16
16:
  ret %struct.stream* %0
}
declare signext i8 @__VERIFIER_nondet_char()
define weak zeroext i1 @_ZNKSt9basic_iosIcSt11char_traitsIcEEcvbEv(i8* noundef %0) {
  %2 = getelementptr inbounds i8, i8* %0, i64 32
  %3 = bitcast i8* %2 to i32*
  %4 = load i32, i32* %3, align 4
  %5 = and i32 %4, 5
  %6 = icmp eq i32 %5, 0
  ret i1 %6
}
define weak zeroext i1 @_ZNKSt9basic_iosIcSt11char_traitsIcEEntEv(i8* noundef %0) {
  %2 = getelementptr inbounds i8, i8* %0, i64 32
  %3 = bitcast i8* %2 to i32*
  %4 = load i32, i32* %3, align 4
  %5 = and i32 %4, 5
  %6 = icmp ne i32 %5, 0
  ret i1 %6
}
define weak zeroext i1 @_ZNKSt9basic_iosIcSt11char_traitsIcEE4failEv(i8* noundef %0) {
  %2 = getelementptr inbounds i8, i8* %0, i64 32
  %3 = bitcast i8* %2 to i32*
  %4 = load i32, i32* %3, align 4
  %5 = and i32 %4, 5
  %6 = icmp ne i32 %5, 0
  ret i1 %6
}
define weak zeroext i1 @_ZNKSt9basic_iosIcSt11char_traitsIcEE4goodEv(i8* noundef %0) {
  %2 = getelementptr inbounds i8, i8* %0, i64 32
  %3 = bitcast i8* %2 to i32*
  %4 = load i32, i32* %3, align 4
  %5 = icmp eq i32 %4, 0
  ret i1 %5
}
define weak zeroext i1 @_ZNKSt9basic_iosIcSt11char_traitsIcEE3eofEv(i8* noundef %0) {
  %2 = getelementptr inbounds i8, i8* %0, i64 32
  %3 = bitcast i8* %2 to i32*
  %4 = load i32, i32* %3, align 4
  %5 = and i32 %4, 2
  %6 = icmp ne i32 %5, 0
  ret i1 %6
}
define weak void @_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate(i8* noundef %0, i32 noundef %1) {
  %3 = getelementptr inbounds i8, i8* %0, i64 32
  %4 = bitcast i8* %3 to i32*
  store i32 %1, i32* %4, align 4
  ret void
}
define weak void @_ZNSt9basic_iosIcSt11char_traitsIcEE8setstateESt12_Ios_Iostate(i8* noundef %0, i32 noundef %1) {
  %3 = getelementptr inbounds i8, i8* %0, i64 32
  %4 = bitcast i8* %3 to i32*
  %5 = load i32, i32* %4, align 4
  %6 = or i32 %5, %1
  store i32 %6, i32* %4, align 4
  ret void
}
define weak void @_ZNSt10_Sp_lockerC1EPKv(i8* noundef %0, i8* noundef %1) {
  %3 = call i32 @pthread_mutex_lock(i8* noundef bitcast ([5 x i64]* @shared_pointers to i8*))
  ret void
}
declare i32 @pthread_mutex_lock(i8* noundef)
define weak void @_ZNSt10_Sp_lockerC1EPKvS1_(i8* noundef %0, i8* noundef %1, i8* noundef %2) {
  %4 = call i32 @pthread_mutex_lock(i8* noundef bitcast ([5 x i64]* @shared_pointers to i8*))
  ret void
}
define weak void @_ZNSt10_Sp_lockerD1Ev(i8* noundef %0) {
  %2 = call i32 @pthread_mutex_unlock(i8* noundef bitcast ([5 x i64]* @shared_pointers to i8*))
  ret void
}
declare i32 @pthread_mutex_unlock(i8* noundef)
define weak void @_ZNSt10_Sp_lockerC2EPKv(i8* noundef %0, i8* noundef %1) {
  %3 = call i32 @pthread_mutex_lock(i8* noundef bitcast ([5 x i64]* @shared_pointers to i8*))
  ret void
}
define weak void @_ZNSt10_Sp_lockerC2EPKvS1_(i8* noundef %0, i8* noundef %1, i8* noundef %2) {
  %4 = call i32 @pthread_mutex_lock(i8* noundef bitcast ([5 x i64]* @shared_pointers to i8*))
  ret void
}
define weak void @_ZNSt10_Sp_lockerD2Ev(i8* noundef %0) {
  %2 = call i32 @pthread_mutex_unlock(i8* noundef bitcast ([5 x i64]* @shared_pointers to i8*))
  ret void
}
define weak i8* @strtok_r(i8* noundef %0, i8* noundef %1, i8** noundef %2) {
  %4 = icmp eq i8* %0, null
  br i1 %4, label %5, label %7
5:
  %6 = load i8*, i8** %2, align 8
  br label %7
7:
  %8 = phi i8* [ %0, %3 ], [ %6, %5 ]
  %9 = call i64 @strspn(i8* noundef %8, i8* noundef %1)
  %10 = getelementptr inbounds i8, i8* %8, i64 %9
  %11 = load i8, i8* %10, align 1
  %12 = icmp eq i8 %11, 0
  br i1 %12, label %20, label %13
13:
  %14 = call i64 @strcspn(i8* noundef nonnull %10, i8* noundef %1)
  %15 = getelementptr inbounds i8, i8* %10, i64 %14
  %16 = load i8, i8* %15, align 1
  %17 = icmp eq i8 %16, 0
  br i1 %17, label %20, label %18
18:
  %19 = getelementptr inbounds i8, i8* %15, i64 1
  store i8 0, i8* %15, align 1
  br label %20
20:
  %21 = phi i8* [ %10, %7 ], [ %19, %18 ], [ %15, %13 ]
  %22 = phi i8* [ null, %7 ], [ %10, %18 ], [ %10, %13 ]
  store i8* %21, i8** %2, align 8
  ret i8* %22
}
declare i64 @strspn(i8* noundef, i8* noundef)
declare i64 @strcspn(i8* noundef, i8* noundef)
define weak i8* @__strtok_r(i8* noundef %0, i8* noundef %1, i8** noundef %2) {
  %4 = call i8* @strtok_r(i8* noundef %0, i8* noundef %1, i8** noundef %2)
  ret i8* %4
}
define weak i8* @strtok(i8* noundef %0, i8* noundef %1) {
  %3 = call i8* @strtok_r(i8* noundef %0, i8* noundef %1, i8** noundef nonnull @place_of_strtok)
  ret i8* %3
}
define weak i8* @memrchr(i8* noundef %0, i32 noundef %1, i64 noundef %2) {
  %4 = getelementptr inbounds i8, i8* %0, i64 %2
  %5 = trunc i32 %1 to i8
  br label %6
6:
  %7 = phi i64 [ %2, %3 ], [ %11, %10 ]
  %8 = phi i8* [ %4, %3 ], [ %12, %10 ]
  %9 = icmp eq i64 %7, 0
  br i1 %9, label %15, label %10
10:
  %11 = add i64 %7, -1
  %12 = getelementptr inbounds i8, i8* %8, i64 -1
  %13 = load i8, i8* %12, align 1
  %14 = icmp eq i8 %13, %5
  br i1 %14, label %15, label %6
15:
  %16 = phi i8* [ %12, %10 ], [ null, %6 ]
  ret i8* %16
}
define weak i64 @wcslen(i32* noundef %0) {
  br label %2
2:
  %3 = phi i64 [ 0, %1 ], [ %7, %2 ]
  %4 = getelementptr inbounds i32, i32* %0, i64 %3
  %5 = load i32, i32* %4, align 4
  %6 = icmp eq i32 %5, 0
  %7 = add i64 %3, 1
  br i1 %6, label %8, label %2
8:
  ret i64 %3
}
declare i64 @strlen(i8* noundef)
define internal void @nothing(i8* nocapture noundef %0) {
  ret void
}
define internal i8* @name(%struct.category* nocapture noundef readnone %0) {
  ret i8* getelementptr inbounds ([6 x i8], [6 x i8]* @.str.19, i64 0, i64 0)
}
define internal void @message(%struct.string* noundef %0, %struct.category* nocapture noundef readnone %1, i32 noundef %2) {
  %4 = getelementptr inbounds %struct.string, %struct.string* %0, i64 0, i32 2, i64 0
  %5 = getelementptr inbounds %struct.string, %struct.string* %0, i64 0, i32 0
  store i8* %4, i8** %5, align 8
  %6 = getelementptr inbounds %struct.string, %struct.string* %0, i64 0, i32 1
  store i64 5, i64* %6, align 8
  %7 = call i8* @memcpy(i8* noundef nonnull %4, i8* noundef getelementptr inbounds ([6 x i8], [6 x i8]* @.str.19, i64 0, i64 0), i64 noundef 5)
  %8 = load i8*, i8** %5, align 8
  %9 = getelementptr inbounds i8, i8* %8, i64 5
  store i8 0, i8* %9, align 1
  %10 = load i8*, i8** %5, align 8
  %11 = icmp eq i8* %10, %4
  br i1 %11, label %14, label %12
12:
  %13 = bitcast i8* %4 to i64*
  store i64 5, i64* %13, align 8
  br label %14
14:
  ret void
}
define internal { i32, %struct.category* } @condition_of(%struct.category* noundef %0, i32 noundef %1) {
  %3 = insertvalue { i32, %struct.category* } poison, i32 %1, 0
  %4 = insertvalue { i32, %struct.category* } %3, %struct.category* %0, 1
  ret { i32, %struct.category* } %4
}
define internal zeroext i1 @is_condition(%struct.category* noundef readnone %0, i32 noundef %1, %struct.condition* nocapture noundef readonly %2) {
  %4 = getelementptr inbounds %struct.condition, %struct.condition* %2, i64 0, i32 1
  %5 = load %struct.category*, %struct.category** %4, align 8
  %6 = icmp eq %struct.category* %5, %0
  br i1 %6, label %7, label %11
7:
  %8 = getelementptr inbounds %struct.condition, %struct.condition* %2, i64 0, i32 0
  %9 = load i32, i32* %8, align 8
  %10 = icmp eq i32 %9, %1
  br label %11
11:
  %12 = phi i1 [ false, %3 ], [ %10, %7 ]
  ret i1 %12
}
define internal zeroext i1 @is_code(%struct.category* noundef readnone %0, %struct.code* nocapture noundef readonly %1, i32 noundef %2) {
  %4 = getelementptr inbounds %struct.code, %struct.code* %1, i64 0, i32 1
  %5 = load %struct.category*, %struct.category** %4, align 8
  %6 = icmp eq %struct.category* %5, %0
  br i1 %6, label %7, label %11
7:
  %8 = getelementptr inbounds %struct.code, %struct.code* %1, i64 0, i32 0
  %9 = load i32, i32* %8, align 8
  %10 = icmp eq i32 %9, %2
  br label %11
11:
  %12 = phi i1 [ false, %3 ], [ %10, %7 ]
  ret i1 %12
}
declare i32* @__errno_location()
declare void @__fencewright_prints_text(i8* noundef)
declare void @__fencewright_prints_bytes(i8* noundef, i64 noundef)
declare zeroext i1 @__VERIFIER_nondet_bool()
declare i64 @llvm.ctpop.i64(i64)
